import { createCanvas, type Image } from '@napi-rs/canvas';
import type { CameraMove } from './camera-moves/camera-move.ts';
import { cameraMoves, posesOf } from './camera-moves/camera-moves.ts';
import type { Dice } from './dice.ts';
import type { CameraPose } from './drawing/camera.ts';
import { createCameraPath, type PoseAt } from './drawing/camera-path.ts';
import type { DrawFrame, FrameSpec } from './frame-spec.ts';
import { type DepthMap, readDepth } from './image/depth-of-image.ts';
import { createImageCamera } from './image/image-camera.ts';
import { createTexture, warpImage } from './image/warp-image.ts';
import type { Direction, Directions, PromptReading } from './storyboard/storyboard.ts';

/** How far the camera moves compared with a drawn scene: less, because an image has nothing beyond its borders. */
const calm = 0.3;
/** The same for moving forward, which stretches the near parts. */
const calmForward = 0.65;
/**
 * The direction in which a move is computed if its path is then played backwards, which happens if the prompt asks to
 * move out. `in` and `out` are both computed as `in`, because a path cannot start outside the image.
 */
const reversed: Record<Direction, Direction> = {
  left: 'right',
  right: 'left',
  up: 'down',
  down: 'up',
  in: 'in',
  out: 'in',
};

/** Prepares a video from an image: the camera moves of the prompt, over the image with the depth estimated from it. */
export function createImageDrawer(
  spec: FrameSpec,
  reading: PromptReading,
  image: Image,
  diceFor: (part: string) => Dice,
): DrawFrame {
  const { width, height, frameCount } = spec;
  const pixels = readPixels(image, width, height);
  const depth = readDepth(pixels, width, height);
  const dice = diceFor('camera');
  const camera = createImageCamera({ width, height, depth, focus: findFocus(depth, spec, dice) });
  const poseAt = createImagePath(spec, reading, dice);
  const texture = createTexture(pixels, width, height);
  const frame = createCanvas(1, 1).getContext('2d').createImageData(width, height);
  const target = new Int32Array(frame.data.buffer, frame.data.byteOffset, width * height);
  return (context, frameIndex) => {
    warpImage(texture, camera(poseAt(frameIndex / frameCount)), target);
    context.putImageData(frame, 0, 0);
  };
}

/** Returns the image's pixels, four bytes each; transparent parts become black. */
function readPixels(image: Image, width: number, height: number): Int32Array {
  const context = createCanvas(width, height).getContext('2d', { alpha: false });
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return new Int32Array(data.buffer, data.byteOffset, width * height);
}

/**
 * Creates the camera's path over an image. It starts with the whole image, wherever the moves would start in a scene.
 * Only a move out starts inside the image and ends with the whole of it, because there is nothing around an image.
 */
function createImagePath(
  { frameCount, fps }: FrameSpec,
  { cameraMoves: names, directions }: PromptReading,
  dice: Dice,
): (phase: number) => CameraPose {
  const asked = names.map((name) => cameraMoves[name]);
  const pace = Math.min(1, ...asked.map((move) => move.pace ?? 1));
  // Moving out is moving in, played backwards.
  const isOut = Object.values(directions).includes('out');
  const moves = [
    ...posesOf({ cameraMoves: names, directions: isOut ? backwards(directions) : directions }),
    closerMove(asked),
    driftMove(asked.length > 0 ? 0.3 : 1, dice),
  ];
  const cameraAt = createCameraPath(moves, { clipSeconds: frameCount / fps, dice, isLooping: asked.length === 0 });
  const first = cameraAt(0);
  return (phase) => {
    const pose = cameraAt(isOut ? 1 - phase : phase);
    return {
      x: calm * pace * (pose.x - first.x),
      y: calm * pace * (pose.y - first.y),
      zoom: (pose.zoom / first.zoom) ** pace,
      dolly: (pose.dolly / first.dolly) ** (calmForward * pace),
      roll: calm * pace * (pose.roll - first.roll),
      orbit: calm * pace * (pose.orbit - first.orbit),
    };
  };
}

function backwards(directions: Directions): Directions {
  return Object.fromEntries(Object.entries(directions).map(([move, direction]) => [move, reversed[direction]]));
}

/** Enlarges the subject gradually, for moves that want it larger: the first frame must be the image as it is. */
function closerMove(asked: readonly CameraMove[]): PoseAt {
  const closeness = asked.reduce((product, move) => product * (move.closeness ?? 1), 1);
  return (progress) => ({ zoom: 1 + 0.4 * (closeness - 1) * progress });
}

/** Pushes gently in and to the side, differently for every seed. */
function driftMove(strength: number, dice: Dice): PoseAt {
  const x = strength * dice.sign() * dice.between(0.16, 0.26);
  const y = strength * dice.between(-0.06, 0.06);
  const dolly = strength * dice.between(0.08, 0.13);
  const zoom = strength * dice.between(0.02, 0.05);
  return (progress) => ({ x: x * progress, y: y * progress, dolly: 1 + dolly * progress, zoom: 1 + zoom * progress });
}

/** Returns where the camera aims: at the centre of the near parts, varied by the seed, and never close to a border. */
function findFocus(depth: DepthMap, { width, height }: FrameSpec, dice: Dice): { x: number; y: number } {
  let x = 0;
  let y = 0;
  let total = 0;
  for (const [index, nearness] of depth.values.entries()) {
    const weight = nearness ** 3;
    x += weight * ((index % depth.width) + 0.5);
    y += weight * (Math.floor(index / depth.width) + 0.5);
    total += weight;
  }
  const along = (sum: number, length: number) => {
    const middle = total > 0 ? sum / total / length : 0.5;
    return Math.min(0.66, Math.max(0.34, middle + dice.between(-0.05, 0.05)));
  };
  return { x: along(x, depth.width) * width, y: along(y, depth.height) * height };
}
