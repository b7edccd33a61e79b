import { speakAnimatic } from './animatic-protocol.ts';
import { speakCog } from './cog-protocol.ts';
import { speakComfyUi } from './comfyui-protocol.ts';
import type { Speak } from './exchange.ts';
import type { Protocol } from './mutation.ts';
import { speakOpenAiVideos } from './openai-videos-protocol.ts';

/** How an honest engine of each protocol responds. */
export const speak: Readonly<Record<Protocol, Speak>> = {
  animatic: speakAnimatic,
  cog: speakCog,
  sglang: speakOpenAiVideos,
  'vllm-omni': speakOpenAiVideos,
  fastvideo: speakOpenAiVideos,
  comfyui: speakComfyUi,
};
