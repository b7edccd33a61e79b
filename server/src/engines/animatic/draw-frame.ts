import type { Image, SKRSContext2D } from '@napi-rs/canvas';
import { createLandscape } from './draw-landscape.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Grows when the same input begins to give other frames. */
export const drawingVersion = '1';

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

/** Prepares the frames of one video: a landscape by prompt and seed, or a camera that moves over the image. */
export function createFrameDrawer(spec: FrameSpec, image: Image | null): DrawFrame {
  const random = createSeededRandom(`${spec.seed}\n${spec.prompt}`);
  if (image) return createCameraMove(spec, image, random);
  const draw = createLandscape(random);
  return (context, frameIndex) => draw(context, spec, frameIndex / spec.fps);
}

/** Starts at the image as it is and closes in on a point of it, so that no border ever shows. */
function createCameraMove(spec: FrameSpec, image: Image, random: () => number): DrawFrame {
  const { width, height } = spec;
  const closer = 0.1 + 0.08 * random();
  const focusX = random();
  const focusY = random();
  const lastFrame = Math.max(1, spec.frameCount - 1);
  return (context, frameIndex) => {
    const elapsed = frameIndex / lastFrame;
    const scale = 1 + closer * elapsed * elapsed * (3 - 2 * elapsed);
    const left = (1 - scale) * width * focusX;
    const top = (1 - scale) * height * focusY;
    context.fillStyle = '#000000';
    context.fillRect(0, 0, width, height);
    context.drawImage(image, left, top, width * scale, height * scale);
  };
}
