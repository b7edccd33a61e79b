import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addTapered, type Point } from '../bones.ts';
import { createGroundShadow } from '../ground-shadow.ts';
import { createEdge } from './edge.ts';
import { addPaw } from './limb.ts';
import { drawWithin, type QuadrupedLook } from './quadruped.ts';

/** The shape of an animal that sits on its hind legs. */
export interface SittingBuild {
  /** Back, chest and seat. */
  trunk: Path2D;
  thigh: Point & { width: number; height: number };
  /** The top of the fore legs, which are straight, and half their thickness at the top and at the paw. */
  elbow: Point;
  thickness: readonly [top: number, paw: number];
  /** How far the head is from its place in a walking animal. */
  headShift: Point;
}

/** Creates the drawing of an animal that sits and looks around. */
export function createSitting(
  setting: Setting,
  { trunk, thigh, elbow, thickness: [atTop, atPaw], headShift }: SittingBuild,
  { tones, near, far, drawMarkings, drawTail, drawHead }: QuadrupedLook,
): (context: SKRSContext2D, moment: Moment) => void {
  const [coat, shade] = [css(tones.coat), css(tones.shade)];
  const drawShadow = createGroundShadow(setting, 0.32, tones.coat);
  const drawBack = createEdge(trunk, { shift: 0.016, tone: css(tones.rim) });
  const foreLeg = (context: SKRSContext2D, x: number, { tone, sock, foot }: QuadrupedLook['near']) => {
    const paw = { x: x + 0.012, y: -1.3 * atPaw };
    context.fillStyle = tone;
    context.beginPath();
    addTapered(context, { x, y: elbow.y }, atTop, paw, atPaw);
    context.fill();
    context.fillStyle = sock;
    context.beginPath();
    addTapered(context, { x: x + 0.01, y: -3.2 * atPaw }, 1.05 * atPaw, paw, 1.05 * atPaw);
    context.fill();
    drawPaw(context, x + 0.02, atPaw, foot);
  };
  return (context, moment) => {
    drawShadow(context);
    drawTail(context, moment);
    foreLeg(context, elbow.x + 0.055, far);
    context.fillStyle = coat;
    context.fill(trunk);
    if (drawMarkings) drawWithin(context, trunk, drawMarkings);
    drawBack(context);
    context.fillStyle = shade;
    context.beginPath();
    context.ellipse(thigh.x + 0.014, thigh.y - 0.006, thigh.width, thigh.height, 0.2, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = coat;
    context.beginPath();
    context.ellipse(thigh.x, thigh.y, thigh.width, thigh.height, 0.2, 0, 2 * Math.PI);
    context.fill();
    drawPaw(context, thigh.x + 0.85 * thigh.width, 1.2 * atPaw, near.foot);
    foreLeg(context, elbow.x, near);
    context.save();
    // It breathes, and looks up and down.
    context.translate(headShift.x, headShift.y - 0.004 * moment.wave(0.4));
    drawHead(context, moment, 0);
    context.restore();
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
