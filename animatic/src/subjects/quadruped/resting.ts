import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { drawAt, ellipse, fill, type Point, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addTapered, between } from '../bones.ts';
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
): Draw {
  const [coat, shade] = [css(tones.coat), css(tones.shade)];
  const drawShadow = createGroundShadow(setting, 0.32, tones.coat);
  const drawBack = createEdge(trunk, { shift: 0.016, tone: css(tones.rim) });
  const foreLeg = (context: SKRSContext2D, shift: number, { tone, sock, foot }: LimbTones) => {
    drawAt(context, { x: shift, y: 0 }, () => {
      fill(context, tone, () => addTapered(context, elbow, atTop, paw, atPaw));
      fill(context, sock, () => addTapered(context, between(elbow, paw, 0.82), 1.05 * atPaw, paw, 1.05 * atPaw));
      drawPaw(context, paw.x + 0.008, atPaw, foot);
    });
  };
  return (context, moment) => {
    drawShadow(context);
    drawTail(context, moment);
    foreLeg(context, 0.055, far);
    context.save();
    context.scale(1, 1 + 0.012 * moment.wave(0.4));
    fill(context, coat, trunk);
    drawBack(context);
    context.restore();
    fill(context, shade, ellipse(thigh.x + 0.014, thigh.y - 0.006, thigh.width, thigh.height, 0.2));
    fill(context, coat, ellipse(thigh.x, thigh.y, thigh.width, thigh.height, 0.2));
    drawPaw(context, thigh.x + 0.85 * thigh.width, 1.2 * atPaw, near.foot);
    // The neck of an animal that lies would reach into the ground.
    const aboveGround = () => context.rect(-1, -2, 3, 1.996);
    within(context, aboveGround, () => {
      context.translate(headShift.x, headShift.y - 0.004 * moment.wave(0.4));
      drawHead(context, moment, 0);
    });
    foreLeg(context, 0, near);
  };
}

function drawPaw(context: SKRSContext2D, x: number, half: number, tone: string): void {
  drawAt(context, { x, y: 0 }, () => fill(context, tone, () => addPaw(context, half)));
}
