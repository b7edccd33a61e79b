import { Kinora } from '@kinora/sdk';

// The address and the key come from KINORA_BASE_URL and KINORA_API_KEY.
const kinora = new Kinora();

const task = await kinora.videos.run(
  {
    prompt: 'A paper boat drifts down a rain-soaked street',
    resolution: '480p',
    aspect_ratio: '1:1',
    duration: 1,
  },
  { onProgress: ({ stage, progress }) => console.log(`${stage} ${progress} %`) },
);

await kinora.videos.save(task, 'boat.mp4');
console.log(`boat.mp4, ${task.video.width}x${task.video.height}, ${task.video.duration} s`);
