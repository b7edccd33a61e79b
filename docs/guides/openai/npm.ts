import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env['KINORA_BASE_URL']}/v1`,
  apiKey: process.env['KINORA_API_KEY'],
});

// The client's types allow only another service's sizes and lengths; Kinora accepts any length from 1 to 10 seconds.
const quick = { seconds: '1' as '4', size: '480x480' as '720x1280' };
let video = await client.videos.create({ prompt: 'A paper boat drifts down a rain-soaked street', ...quick });
while (video.status === 'queued' || video.status === 'in_progress') {
  await pause(2000);
  video = await client.videos.retrieve(video.id);
}
console.log(video.status, video.error?.message ?? `${video.seconds} s, ${video.size}`);

const content = await client.videos.downloadContent(video.id);
await writeFile('boat.mp4', new Uint8Array(await content.arrayBuffer()));
