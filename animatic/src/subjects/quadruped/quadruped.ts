import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Point } from '../bones.ts';
import { createGroundShadow } from '../ground-shadow.ts';
import { stepAt } from '../step.ts';
import type { CoatTones } from './coat.ts';
import { createEdge } from './edge.ts';
import { drawLimb, jointsOf, type LimbBuild, type LimbTones } from './limb.ts';

/** The order and timing in which an animal puts its feet down. */
export interface Gait {
  cyclesPerSecond: number;
  /** The fraction of a cycle that a foot is on the ground. */
  stance: number;
  /** When each foot touches the ground, as a fraction of the cycle. */
  touchdown: Record<LimbName, number>;
  /** How far the trunk rises and falls, and how far it rocks, in radians; each `perCycle` times in a cycle. */
  bob: number;
  rock: number;
  perCycle: number;
  /** When the trunk is highest, as a fraction of the cycle. */
  highest: number;
}

type LimbName = 'farHind' | 'nearHind' | 'farFore' | 'nearFore';

/** What distinguishes one four-legged animal from another. Lengths are fractions of the animal's length. */
export interface QuadrupedBuild {
  gait: Gait;
  fore: LimbBuild;
  hind: LimbBuild;
  trunk: Path2D;
}

/** The look of one animal, and what it draws itself. */
export interface QuadrupedLook {
  tones: CoatTones;
  near: LimbTones;
  far: LimbTones;
  /** Draws on the trunk, which clips it: stripes, for example. */
  drawMarkings?: ((context: SKRSContext2D) => void) | undefined;
  drawTail: (context: SKRSContext2D, moment: Moment) => void;
  /** Draws neck and head; `turn` is the place in the gait. */
  drawHead: (context: SKRSContext2D, moment: Moment, turn: number) => void;
}

/** The middle of the trunk, about which it rocks. */
const middle = { x: 0, y: -0.4 };
/** A foot of an animal that stands still. */
const planted = { x: 0, up: 0, trail: 0, fold: 0 };

/**
 * Creates the drawing of an animal on four legs that goes at a speed, in lengths of its own per second; at speed 0 it
 * stands.
 */
export function createQuadruped(
  setting: Setting,
  { gait, fore, hind, trunk }: QuadrupedBuild,
  { tones, near, far, drawMarkings, drawTail, drawHead }: QuadrupedLook,
  lengthsPerSecond: number,
): (context: SKRSContext2D, moment: Moment) => void {
  const { seconds } = setting;
  const cycles = Math.max(1, Math.round(gait.cyclesPerSecond * seconds));
  // A stride is as long as the ground that passes in it, so that the feet do not slide.
  const stride = (lengthsPerSecond * seconds) / cycles;
  const coat = css(tones.coat);
  const drawShadow = createGroundShadow(setting, 0.42, tones.coat);
  const within = new Path2D(`M${hind.root.x} ${fore.root.y}H${fore.root.x}V0H${hind.root.x}Z`);
  const drawBelly = createEdge(trunk, { shift: -0.045, tone: css(tones.shade), within });
  const drawBack = createEdge(trunk, { shift: 0.016, tone: css(tones.rim) });
  return (context, moment) => {
    const turn = stride > 0 ? moment.turn(gait.cyclesPerSecond) : 0;
    const wave = 2 * Math.PI * gait.perCycle * (turn - gait.highest);
    const bob = stride > 0 ? -gait.bob * Math.cos(wave) : -0.003 * moment.wave(0.4);
    const rock = stride > 0 ? gait.rock * Math.sin(wave) : 0;
    const moved = (point: Point): Point => ({
      x: middle.x + (point.x - middle.x) * Math.cos(rock) - (point.y - middle.y) * Math.sin(rock),
      y: middle.y + (point.x - middle.x) * Math.sin(rock) + (point.y - middle.y) * Math.cos(rock) + bob,
    });
    const limb = (name: LimbName, of: LimbBuild, look: LimbTones) => {
      // An animal that stands has its feet a little apart.
      const still = { ...planted, x: name === 'farHind' ? 0.06 : name === 'farFore' ? 0.035 : 0 };
      const step = stride > 0 ? stepAt(turn - gait.touchdown[name], gait.stance, stride) : still;
      drawLimb(context, of, jointsOf(of, moved(of.root), step), look);
    };
    const onTrunk = (draw: () => void) => {
      context.save();
      context.translate(middle.x, middle.y + bob);
      context.rotate(rock);
      context.translate(-middle.x, -middle.y);
      draw();
      context.restore();
    };
    drawShadow(context);
    limb('farHind', hind, far);
    limb('farFore', fore, far);
    onTrunk(() => {
      drawTail(context, moment);
      context.fillStyle = coat;
      context.fill(trunk);
      drawBelly(context);
    });
    limb('nearHind', hind, near);
    limb('nearFore', fore, near);
    onTrunk(() => {
      if (drawMarkings) drawWithin(context, trunk, drawMarkings);
      drawBack(context);
      drawHead(context, moment, turn);
    });
  };
}

/** Draws something that a shape clips. */
export function drawWithin(context: SKRSContext2D, shape: Path2D, draw: (context: SKRSContext2D) => void): void {
  context.save();
  context.clip(shape);
  draw(context);
  context.restore();
}
