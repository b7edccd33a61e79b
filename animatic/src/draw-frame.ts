import type { Image, SKRSContext2D } from '@napi-rs/canvas';
import { createDice } from './drawing/dice.ts';
import { createLabel } from './drawing/draw-label.ts';
import { createImageDrawer } from './image-to-video.ts';
import { readPrompt } from './storyboard/read-prompt.ts';
import { createSceneDrawer } from './text-to-video.ts';

/** Grows when the same input begins to give other frames. */
export const drawingVersion = '3';

/** What the frames of a video depend on, besides its image. */
export interface FrameSpec {
  prompt: string;
  seed: number;
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}

export type DrawFrame = (context: SKRSContext2D, frameIndex: number) => void;

/** Prepares the frames of one video: a storyboard drawn by prompt and seed, or the image seen by a moving camera. */
export function createFrameDrawer(spec: FrameSpec, image: Image | null): DrawFrame {
  const diceFor = (part: string) => createDice(`${spec.seed}\n${part}\n${spec.prompt}`);
  const reading = readPrompt(spec.prompt);
  const draw = image ? createImageDrawer(spec, reading, image, diceFor) : createSceneDrawer(spec, reading, diceFor);
  const label = createLabel(spec);
  return (context, frameIndex) => {
    draw(context, frameIndex);
    label(context);
  };
}
