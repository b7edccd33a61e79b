import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addTapered, between, type Point } from '../bones.ts';
import { createGroundShadow } from '../ground-shadow.ts';
import { createEdge } from './edge.ts';
import { addPaw, type LimbTones } from './limb.ts';
import type { QuadrupedLook } from './quadruped.ts';

/** The shape of an animal that sits or lies. */
export interface RestingBuild {
  /** Back, chest and seat. */
  trunk: Path2D;
  thigh: Point & { width: number; height: number };
  /** The ends of the near fore leg, which is straight, and half its thickness at them. */
  elbow: Point;
  paw: Point;
  thickness: readonly [top: number, paw: number];
  /** How far the head is from its place in a walking animal. */
  headShift: Point;
}

/** Creates the drawing of an animal that sits or lies, and breathes. */
export function createResting(
  setting: Setting,
  { trunk, thigh, elbow, paw, thickness: [atTop, atPaw], headShift }: RestingBuild,
  { tones, near, far, drawTail, drawHead }: QuadrupedLook,
): (context: SKRSContext2D, moment: Moment) => void {
  const [coat, shade] = [css(tones.coat), css(tones.shade)];
  const drawShadow = createGroundShadow(setting, 0.32, tones.coat);
  const drawBack = createEdge(trunk, { shift: 0.016, tone: css(tones.rim) });
  const foreLeg = (context: SKRSContext2D, shift: number, { tone, sock, foot }: LimbTones) => {
    context.save();
    context.translate(shift, 0);
    context.fillStyle = tone;
    context.beginPath();
    addTapered(context, elbow, atTop, paw, atPaw);
    context.fill();
    context.fillStyle = sock;
    context.beginPath();
    addTapered(context, between(elbow, paw, 0.82), 1.05 * atPaw, paw, 1.05 * atPaw);
    context.fill();
    drawPaw(context, paw.x + 0.008, atPaw, foot);
    context.restore();
  };
  return (context, moment) => {
    drawShadow(context);
    drawTail(context, moment);
    foreLeg(context, 0.055, far);
    context.save();
    context.scale(1, 1 + 0.012 * moment.wave(0.4));
    context.fillStyle = coat;
    context.fill(trunk);
    drawBack(context);
    context.restore();
    context.fillStyle = shade;
    context.beginPath();
    context.ellipse(thigh.x + 0.014, thigh.y - 0.006, thigh.width, thigh.height, 0.2, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = coat;
    context.beginPath();
    context.ellipse(thigh.x, thigh.y, thigh.width, thigh.height, 0.2, 0, 2 * Math.PI);
    context.fill();
    drawPaw(context, thigh.x + 0.85 * thigh.width, 1.2 * atPaw, near.foot);
    context.save();
    // The neck of an animal that lies would reach into the ground.
    context.beginPath();
    context.rect(-1, -2, 3, 1.996);
    context.clip();
    context.translate(headShift.x, headShift.y - 0.004 * moment.wave(0.4));
    drawHead(context, moment, 0);
    context.restore();
    foreLeg(context, 0, near);
  };
}

function drawPaw(context: SKRSContext2D, x: number, half: number, tone: string): void {
  context.save();
  context.translate(x, 0);
  context.fillStyle = tone;
  context.beginPath();
  addPaw(context, half);
  context.fill();
  context.restore();
}
