import { Kinora } from '@kinora/sdk';

const kinora = new Kinora();

// Every completed task, newest first. Pages are fetched as they are needed, and none after the loop ends.
let count = 0;
for await (const task of kinora.videos.list({ status: 'completed' })) {
  const { path, sizeBytes } = await kinora.videos.save(task, `${task.id}.mp4`);
  console.log(`${path}: ${sizeBytes} bytes, ${task.prompt}`);
  count += 1;
  if (count === 2) break;
}
