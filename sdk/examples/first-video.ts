import { Kinora } from '@kinora/sdk';

const kinora = new Kinora(); // reads KINORA_BASE_URL and KINORA_API_KEY

const task = await kinora.videos.run({
  prompt: 'a paper boat on a pond at dusk',
  resolution: '480p',
  aspect_ratio: '1:1',
  duration: 1,
});

await kinora.videos.save(task, 'boat.mp4');
console.log(`boat.mp4, and for an hour ${task.video.url}`);
