import type { SKRSContext2D } from '@napi-rs/canvas';
import { drawAt, fill, type Point } from '../../drawing/paint.ts';
import { addTapered, between, middleJoint } from '../bones.ts';
import type { Step } from '../step.ts';

/** A fore or hind limb. Lengths are fractions of the animal's length; the ground is at y = 0. */
export interface LimbBuild {
  /** 1 for a hind limb, whose knee points forwards; −1 for a fore limb, whose elbow points backwards. */
  bend: 1 | -1;
  /** The shoulder or the hip. */
  root: Point;
  /** How far before or behind the root the foot stands. */
  footX: number;
  /** Its parts from the root down. An animal on its toes holds the cannon, the bone below the wrist or hock, upright. */
  lengths: { upper: number; lower: number; cannon: number; toe: number };
  /** Half the thickness at the root, the elbow or knee, the wrist or hock, and the toe. */
  thickness: readonly [root: number, middle: number, joint: number, toe: number];
  /** How far the cannon leans: on average, between touchdown and leaving the ground, and when folded; in radians. */
  cannon: { lean: number; sway: number; fold: number };
  /** How far the toe leans forwards on the ground, and by how much it bends back when folded. */
  toe: { lean: number; fold: number };
  /** How high the foot is lifted. */
  lift: number;
  isHoof: boolean;
}

/** What the limbs of a cat and a dog share. */
export const forePaw = { bend: -1, toe: { lean: 0.5, fold: 1.2 }, isHoof: false } as const;
export const hindPaw = { bend: 1, toe: { lean: 0.5, fold: 1.1 }, isHoof: false } as const;

/** Returns the joints of a limb for a place of its foot, from the root down. */
export function jointsOf(limb: LimbBuild, root: Point, step: Step): [Point, Point, Point, Point, Point] {
  const tip = { x: limb.root.x + limb.footX + step.x, y: -limb.lift * step.up };
  const { lengths, cannon, toe, bend } = limb;
  const toeAngle = -toe.lean * (1 - 0.5 * Math.max(0, step.trail)) + toe.fold * step.fold;
  const ankle = above(tip, lengths.toe, toeAngle);
  const joint = above(ankle, lengths.cannon, cannon.lean + cannon.sway * step.trail + cannon.fold * step.fold);
  const middle = middleJoint(root, joint, { ...lengths, bend });
  return [root, middle, joint, ankle, tip];
}

/** Returns the point at a distance above another, leaning forwards by an angle. */
function above({ x, y }: Point, distance: number, angle: number): Point {
  return { x: x + distance * Math.sin(angle), y: y - distance * Math.cos(angle) };
}

/** The colours of a limb: all of it, its lower end, and its paw or hoof. */
export interface LimbTones {
  tone: string;
  sock: string;
  foot: string;
}

/** Draws a limb in one tone, with a paw or a hoof. */
export function drawLimb(
  context: SKRSContext2D,
  limb: LimbBuild,
  [root, middle, joint, ankle, tip]: readonly [Point, Point, Point, Point, Point],
  { tone, sock, foot }: LimbTones,
): void {
  const [atRoot, atMiddle, atJoint, atToe] = limb.thickness;
  fill(context, tone, () => {
    addTapered(context, root, atRoot, middle, atMiddle);
    addTapered(context, middle, atMiddle, joint, atJoint);
    // The muscle behind the thigh, from the seat to the shin.
    if (limb.bend === 1) addTapered(context, root, 0.8 * atRoot, between(middle, joint, 0.55), 0.6 * atMiddle);
    addTapered(context, joint, atJoint, ankle, atToe);
  });
  fill(context, sock, () => {
    addTapered(context, between(joint, ankle, 0.45), atToe * 1.06, ankle, atToe * 1.1);
    if (limb.isHoof) addTapered(context, ankle, atToe * 1.1, between(ankle, tip, 0.7), atToe);
  });
  const angle = limb.toe.lean - Math.atan2(tip.x - ankle.x, tip.y - ankle.y);
  const addFoot = limb.isHoof ? addHoof : addPaw;
  drawAt(context, { ...tip, angle }, () => fill(context, foot, () => addFoot(context, atToe)));
}

function addHoof(context: SKRSContext2D, half: number): void {
  context.moveTo(-1.7 * half, -1.5 * half);
  context.lineTo(0.6 * half, -2.3 * half);
  context.lineTo(1.9 * half, 0);
  context.lineTo(-1.7 * half, 0);
  context.closePath();
}

/** Adds a paw that stands at the origin. */
export function addPaw(context: SKRSContext2D, half: number): void {
  context.moveTo(-1.7 * half, 0);
  context.bezierCurveTo(-2.3 * half, -1.6 * half, -0.8 * half, -2.6 * half, 0.4 * half, -2.2 * half);
  context.bezierCurveTo(1.6 * half, -2 * half, 2.3 * half, -1.3 * half, 2.3 * half, -0.7 * half);
  context.bezierCurveTo(2.3 * half, -0.1 * half, 1.9 * half, 0, 1.6 * half, 0);
  context.closePath();
}
