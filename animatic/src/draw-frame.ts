import type { Image } from '@napi-rs/canvas';
import { createDice } from './dice.ts';
import { createLabel } from './drawing/draw-label.ts';
import type { DrawFrame, FrameSpec } from './frame-spec.ts';
import { createImageDrawer } from './image-to-video.ts';
import { readPrompt } from './storyboard/read-prompt.ts';
import { createSceneDrawer } from './text-to-video.ts';

/** Increase this whenever a change makes the same input give different frames. */
export const drawingVersion = '4';

/** Prepares the frames of one video: a scene drawn from prompt and seed, or the image seen by a moving camera. */
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
