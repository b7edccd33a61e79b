import type { Moment } from '../../drawing/moment.ts';
import type { Point } from '../../drawing/paint.ts';
import { stepAt } from '../step.ts';

// All lengths are fractions of the robot's height; the ground is at y = 0.

/** The fraction of a cycle that a foot is on the ground. */
const stance = 0.58;
/** The ankle is above the ground by the height of the foot. */
export const ankleUp = 0.055;
const hipsUp = 0.395;

/** An ankle, and the angle of the foot in radians. */
export interface Foot extends Point {
  tilt: number;
}

/** The angles of an arm in radians: 0 hangs down, positive is forwards and up; `elbow` is added for the forearm. */
export interface Arm {
  shoulder: number;
  elbow: number;
}

/** Where everything that moves is. */
export interface RobotPose {
  hips: Point;
  /** The angles of body and head in radians. */
  lean: number;
  nod: number;
  farLeg: Foot;
  nearLeg: Foot;
  farArm: Arm;
  nearArm: Arm;
}

/** Returns the pose of a walk: the arms swing against the legs, and the hips rise twice per cycle. */
export function walkingPose(turn: number, stride: number): RobotPose {
  const swing = Math.cos(2 * Math.PI * turn);
  const arm = (side: number): Arm => ({
    shoulder: 0.05 - 0.5 * side * swing,
    elbow: 0.55 + 0.25 * Math.max(0, -side * swing),
  });
  return {
    hips: { x: 0, y: -hipsUp - 0.014 * Math.cos(4 * Math.PI * (turn - 0.3)) },
    lean: 0.03 + 0.02 * Math.sin(4 * Math.PI * turn),
    nod: 0.04 * Math.sin(4 * Math.PI * turn + 1),
    nearLeg: footAt(turn, stride),
    farLeg: footAt(turn + 0.5, stride),
    nearArm: arm(1),
    farArm: arm(-1),
  };
}

function footAt(turn: number, stride: number): Foot {
  const { x, up, trail } = stepAt(turn, stance, stride);
  // The heel rises first, and the toes point up before the foot lands.
  return { x, y: -ankleUp - 0.075 * up, tilt: 0.45 * trail * Math.min(1, 2 * up) };
}

/** Returns the pose of a robot that stands and looks around. */
export function standingPose(moment: Moment): RobotPose {
  return {
    hips: { x: 0, y: -hipsUp - 0.006 * moment.wave(0.5) },
    lean: 0.015 * moment.wave(0.25),
    nod: 0.07 * moment.wave(0.3),
    nearLeg: { x: -0.05, y: -ankleUp, tilt: 0 },
    farLeg: { x: 0.05, y: -ankleUp, tilt: 0 },
    nearArm: { shoulder: -0.08 + 0.04 * moment.wave(0.4), elbow: 0.25 },
    farArm: { shoulder: 0.15 + 0.04 * moment.wave(0.4, 0.3), elbow: 0.3 },
  };
}

/** Returns the pose of a dance: two beats to a bar, a step to either side, and one arm up at a time. */
export function dancingPose(moment: Moment): RobotPose {
  const bar = 2 * Math.PI * moment.turn(0.9);
  const side = Math.sin(bar);
  // The knees give on every beat.
  const bounce = 0.5 - 0.5 * Math.cos(2 * bar);
  const foot = (x: number, raised: number): Foot => ({
    x,
    y: -ankleUp - 0.07 * Math.max(0, raised) ** 1.5,
    tilt: -0.3 * Math.max(0, raised),
  });
  // The arms point away from the body, one to each side.
  const arm = (raised: number, away: 1 | -1): Arm => ({
    shoulder: away * (1.3 + 1 * raised),
    elbow: away * (0.75 + 0.4 * Math.sin(2 * bar + raised)),
  });
  return {
    hips: { x: 0.05 * side, y: -hipsUp + 0.008 + 0.03 * bounce },
    lean: -0.11 * side,
    nod: 0.16 * side,
    nearLeg: foot(-0.075 + 0.02 * side, side),
    farLeg: foot(0.075 + 0.02 * side, -side),
    nearArm: arm(-side, -1),
    farArm: arm(side, 1),
  };
}
