import { writeFile } from 'node:fs/promises';
import { Kinora } from '@kinora/sdk';

const kinora = new Kinora(); // reads KINORA_BASE_URL and KINORA_API_KEY

const task = await kinora.videos.run({
  prompt: 'a paper boat on a pond at dusk',
  resolution: '480p',
  aspect_ratio: '1:1',
  duration: 1,
});

const video = await kinora.videos.download(task.id);
await writeFile('boat.mp4', new Uint8Array(await video.arrayBuffer()));
console.log(`boat.mp4, and for an hour ${task.video_url}`);
