import type { Dice } from '../dice.ts';
import { type CameraPose, movementAt, nearestDepth, stillCamera } from './camera.ts';
import { ease } from './ease.ts';
import { createStage } from './stage.ts';

/** The fraction of a looping video in which the camera goes out; in the rest it comes back. */
const outward = 0.62;
/** If a move has less time than this, it goes less far, because it would be too fast. */
const fullReachSeconds = 2.5;
/** Every stage has the same bleed. */
const { bleed } = createStage({ width: 1, height: 1 }, 0.5);
/** Half the long side of the widest frame, in units: the distance from the middle at which a roll lifts the corners. */
const longestHalf = 21 / 9 / 2;

/** Returns where the camera is at `progress` of a move, 0..1. */
export type PoseAt = (progress: number) => Partial<CameraPose>;

interface Clip {
  clipSeconds: number;
  dice: Dice;
  /** Whether the camera comes back, so that the video loops; by default only if there is no move. */
  isLooping?: boolean | undefined;
}

/** Creates the camera of a video from its moves or, without any, a slow drift like that of a hand-held camera. */
export function createCameraPath(
  moves: readonly PoseAt[],
  { clipSeconds, dice, isLooping = moves.length === 0 }: Clip,
): (phase: number) => CameraPose {
  const progressAt = isLooping ? outAndBack : ease;
  const reach = Math.min(1, (clipSeconds * (isLooping ? outward : 1)) / fullReachSeconds);
  const side = dice.sign();
  const drift: PoseAt = (progress) => ({ x: side * 0.07 * (progress - 0.5 * reach), dolly: 1 + 0.05 * progress });
  const poseAt = (progress: number) => sumOf((moves.length > 0 ? moves : [drift]).map((move) => move(progress)));
  const calm = calmOf(poseAt);
  return (phase) => {
    const pose = poseAt(reach * progressAt(phase));
    return { ...pose, x: calm * pose.x, y: calm * pose.y, orbit: calm * pose.orbit, roll: calm * pose.roll };
  };
}

/** Returns 0 at the start, 1 at the turn and 0 at the end, with zero speed at all three. */
function outAndBack(phase: number): number {
  return phase < outward ? ease(phase / outward) : ease((1 - phase) / (1 - outward));
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

/** Returns the factor that shortens all moves of the video so that no border shows, as a stop there would be seen. */
function calmOf(poseAt: (progress: number) => CameraPose): number {
  const steps = 32;
  const farthest = Math.max(...Array.from({ length: steps + 1 }, (_, step) => reachOf(poseAt(step / steps))));
  return Math.min(1, (0.98 * bleed) / farthest);
}

/** Returns how far beyond the frame a pose looks: most at an extreme depth, because the shift is linear in depth. */
function reachOf(pose: CameraPose): number {
  const lifted = longestHalf * Math.abs(pose.roll);
  const aside = [0, nearestDepth].flatMap((depth) => {
    const { x, y } = movementAt(pose, depth);
    return [Math.abs(x), Math.abs(y)];
  });
  return Math.max(...aside) + lifted;
}
