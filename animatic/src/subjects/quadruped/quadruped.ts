import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../../drawing/colour.ts';
import type { Draw, Paint } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { drawAt, fill, type Point, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createGroundShadow } from '../ground-shadow.ts';
import { stepAt, strideOf } from '../step.ts';
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
  /** How far the trunk rises and rocks (radians), `perCycle` times; `highest` at that fraction of the cycle. */
  trunk: { bob: number; rock: number; perCycle: number; highest: number };
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
  drawMarkings?: Paint | undefined;
  drawTail: Draw;
  /** Draws neck and head; `turn` is the place in the gait. */
  drawHead: (context: SKRSContext2D, moment: Moment, turn: number) => void;
}

/** The middle of the trunk, about which it rocks. */
const middle = { x: 0, y: -0.4 };
/** A foot of an animal that stands still. */
const planted = { x: 0, up: 0, trail: 0, fold: 0 };

/** Creates an animal on four legs that goes at a speed in its own lengths per second; at speed 0 it stands. */
export function createQuadruped(
  setting: Setting,
  { gait, fore, hind, trunk }: QuadrupedBuild,
  { tones, near, far, drawMarkings, drawTail, drawHead }: QuadrupedLook,
  lengthsPerSecond: number,
): Draw {
  const stride = strideOf(setting, gait.cyclesPerSecond, lengthsPerSecond);
  const coat = css(tones.coat);
  const drawShadow = createGroundShadow(setting, 0.42, tones.coat);
  const belly = new Path2D(`M${hind.root.x} ${fore.root.y}H${fore.root.x}V0H${hind.root.x}Z`);
  const drawBelly = createEdge(trunk, { shift: -0.045, tone: css(tones.shade), part: belly });
  const drawBack = createEdge(trunk, { shift: 0.016, tone: css(tones.rim) });
  return (context, moment) => {
    const turn = stride > 0 ? moment.turn(gait.cyclesPerSecond) : 0;
    const wave = 2 * Math.PI * gait.trunk.perCycle * (turn - gait.trunk.highest);
    const bob = stride > 0 ? -gait.trunk.bob * Math.cos(wave) : -0.003 * moment.wave(0.4);
    const rock = stride > 0 ? gait.trunk.rock * Math.sin(wave) : 0;
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
      drawAt(context, { x: middle.x, y: middle.y + bob, angle: rock }, () => {
        context.translate(-middle.x, -middle.y);
        draw();
      });
    };
    drawShadow(context);
    limb('farHind', hind, far);
    limb('farFore', fore, far);
    onTrunk(() => {
      drawTail(context, moment);
      fill(context, coat, trunk);
      drawBelly(context);
    });
    limb('nearHind', hind, near);
    limb('nearFore', fore, near);
    onTrunk(() => {
      if (drawMarkings) within(context, trunk, () => drawMarkings(context));
      drawBack(context);
      drawHead(context, moment, turn);
    });
  };
}
