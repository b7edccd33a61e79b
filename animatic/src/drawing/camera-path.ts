import type { Dice } from '../dice.ts';
import { type CameraPose, movementAt, nearestDepth, stillCamera } from './camera.ts';
import { createStage } from './stage.ts';

/** The part of the video in which a move goes out; in the rest it comes back, so that the video repeats without a jump. */
const outward = 0.62;
/** In shorter videos a move goes less far, or it would be hasty. */
const fullReachSeconds = 4;
/** Every stage has the same. */
const { bleed } = createStage({ width: 1, height: 1 }, 0.5);
/** Half the long side of the widest frame, in units: that far from the middle a roll lifts the corners. */
const longestHalf = 21 / 9 / 2;

/** Where the camera is when a move is done by `progress`, 0..1. */
export type PoseAt = (progress: number) => Partial<CameraPose>;

/** The camera of a video: the moves asked for, or, with none, a slow drift as of a hand that breathes. */
export function createCameraPath(
  moves: readonly PoseAt[],
  { clipSeconds, dice }: { clipSeconds: number; dice: Dice },
): (phase: number) => CameraPose {
  const reach = Math.min(1, clipSeconds / fullReachSeconds);
  const side = dice.sign();
  const drift: PoseAt = (progress) => ({ x: side * 0.07 * (progress - 0.5 * reach), dolly: 1 + 0.05 * progress });
  const poseAt = (progress: number) => sumOf((moves.length > 0 ? moves : [drift]).map((move) => move(progress)));
  const calm = calmOf(poseAt);
  return (phase) => {
    const pose = poseAt(reach * outAndBack(phase));
    return { ...pose, x: calm * pose.x, y: calm * pose.y, orbit: calm * pose.orbit, roll: calm * pose.roll };
  };
}

/** 0 at the start, 1 at the turn, 0 at the end, and at rest at each of them. */
function outAndBack(phase: number): number {
  return phase < outward ? ease(phase / outward) : ease((1 - phase) / (1 - outward));
}

function ease(along: number): number {
  return along * along * along * (along * (6 * along - 15) + 10);
}

function sumOf(poses: readonly Partial<CameraPose>[]): CameraPose {
  return poses.reduce<CameraPose>(
    (sum, pose) => ({
      x: sum.x + (pose.x ?? 0),
      y: sum.y + (pose.y ?? 0),
      zoom: sum.zoom * (pose.zoom ?? 1),
      dolly: sum.dolly * (pose.dolly ?? 1),
      roll: sum.roll + (pose.roll ?? 0),
      orbit: sum.orbit + (pose.orbit ?? 0),
    }),
    stillCamera,
  );
}

/**
 * How much of their way several moves may go together, so that no border shows: one measure for the whole video, because
 * a stop at the border would be seen.
 */
function calmOf(poseAt: (progress: number) => CameraPose): number {
  const steps = 32;
  const farthest = Math.max(...Array.from({ length: steps + 1 }, (_, step) => reachOf(poseAt(step / steps))));
  return Math.min(1, (0.98 * bleed) / farthest);
}

/** How far beyond the frame a pose looks at most: at one end of the depths, because it is linear between them. */
function reachOf(pose: CameraPose): number {
  const lifted = longestHalf * Math.abs(pose.roll);
  const aside = [0, nearestDepth].flatMap((depth) => {
    const { x, y } = movementAt(pose, depth);
    return [Math.abs(x), Math.abs(y)];
  });
  return Math.max(...aside) + lifted;
}
