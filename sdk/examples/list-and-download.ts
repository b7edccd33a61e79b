import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { Kinora } from '@kinora/sdk';

const kinora = new Kinora();

// Every task, newest first. Pages are fetched as they are needed, and no more are fetched after the loop ends.
let count = 0;
for await (const task of kinora.videos.list({ status: 'completed' })) {
  const { body } = await kinora.videos.download(task.id);
  await body?.pipeTo(Writable.toWeb(createWriteStream(`${task.id}.mp4`)));
  console.log(`${task.id}.mp4: ${task.prompt}`);
  count += 1;
  if (count === 2) break;
}
