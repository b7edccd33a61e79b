import { writeFile } from 'node:fs/promises';
import { kinora } from '@kinora/ai-sdk';
import { experimental_generateVideo as generateVideo } from 'ai';

const { video, warnings, providerMetadata } = await generateVideo({
  model: kinora.video('animatic'), // or kinora.video(): the service chooses
  prompt: 'A paper boat on a pond, close to the water',
  resolution: '854x480',
  duration: 1,
  seed: 7,
});

await writeFile('boat.mp4', video.uint8Array);
console.log({ warnings, videos: providerMetadata.kinora?.videos });
