import { readFile } from 'node:fs/promises';
import { InvalidRequestError, Kinora } from '@kinora/sdk';

const kinora = new Kinora();
const path = process.argv[2] ?? 'photo.jpg';

try {
  // The SDK uploads bytes first; the service itself fetches an https URL.
  const image = await readFile(path);
  const task = await kinora.videos.run({
    prompt: 'The camera moves in slowly',
    image,
    resolution: '480p',
    duration: 1,
  });
  await kinora.videos.save(task, 'moving.mp4');
  console.log(`moving.mp4, ${task.aspect_ratio}, ${task.size}`);
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error;
  // The picture is too small, too large or not a picture at all: the message says which.
  console.log(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
