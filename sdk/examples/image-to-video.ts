import { readFile } from 'node:fs/promises';
import { InvalidRequestError, Kinora } from '@kinora/sdk';

const kinora = new Kinora();
const [, , path = 'photo.jpg'] = process.argv;

try {
  const task = await kinora.videos.run({
    prompt: 'the camera moves slowly towards the window',
    image: await readFile(path), // or a Blob, a File, an https URL, the id of an upload
    resolution: '480p',
    duration: 1,
  });
  console.log(task.video.url);
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error;
  console.error(`${error.message} (${error.code}, ${error.requestId})`);
  process.exitCode = 1;
}
