import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, mix } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import type { Moment } from '../../drawing/moment.ts';
import { fill, within } from '../../drawing/paint.ts';

const beatsPerSecond = 1.6;
/** The fraction of a beat in which the wings go down. */
const downStroke = 0.42;

/** The colours of a bird. */
export interface BirdTones {
  body: Colour;
  shade: Colour;
  tip: Colour;
  beak: Colour;
  head: Colour;
}

/** What distinguishes one kind of bird from another. */
export interface BirdShape {
  isGull: boolean;
  span: number;
  /** The number of separate feathers at the end of the wing. */
  fingers: number;
}

/** Returns the pose: the angles of the inner and the outer wing, how far the outer one is folded, and the lift. */
export function wingsAt(moment: Moment, offset: number): { inner: number; outer: number; fold: number; lift: number } {
  const turn = moment.turn(beatsPerSecond, offset);
  // Now and then the bird glides: the beat dies down and starts again.
  const beating = ease(Math.min(1, Math.max(0, 0.5 + 0.85 * moment.wave(0.2, 0.25 + offset))));
  const isDown = turn < downStroke;
  const along = isDown ? turn / downStroke : (turn - downStroke) / (1 - downStroke);
  const swing = isDown ? Math.cos(Math.PI * along) : -Math.cos(Math.PI * along);
  // On the way up, the outer wing lags behind and is folded in, so that it meets little air.
  const upward = isDown ? 0 : Math.sin(Math.PI * along);
  const lag = isDown ? 0.35 * Math.sin(Math.PI * along) : -0.9 * Math.sin(Math.PI * along);
  return {
    inner: beating * (0.1 + 0.72 * swing) + (1 - beating) * 0.14,
    outer: beating * (0.05 + 0.85 * swing + lag) - (1 - beating) * 0.1,
    fold: beating * 0.45 * upward,
    lift: beating * (isDown ? -Math.sin(Math.PI * along) : 0.7 * Math.sin(Math.PI * along)),
  };
}

/** Draws a wing in two parts, seen from a little above and behind: the near one points down and back. */
export function drawWing(
  context: SKRSContext2D,
  { shape, tones, pose, side }: { shape: BirdShape; tones: BirdTones; pose: ReturnType<typeof wingsAt>; side: number },
): void {
  const project = (along: number, up: number, out: number) => ({
    x: along - side * 0.3 * out,
    y: -up + side * 0.4 * out,
  });
  const innerLength = 0.45 * shape.span;
  const outerLength = 0.75 * shape.span * (1 - pose.fold);
  const wristOut = innerLength * Math.cos(pose.inner);
  const wristUp = innerLength * Math.sin(pose.inner);
  const tipOut = wristOut + outerLength * Math.cos(pose.outer);
  const tipUp = wristUp + outerLength * Math.sin(pose.outer);
  const chord = shape.isGull ? 0.25 : 0.33;
  const root = 0.12;
  const sweep = 0.16 + 0.35 * pose.fold;
  const front = project(root, 0.04, 0.03);
  const wristFront = project(root + 0.07, wristUp + 0.04, wristOut);
  const tip = project(root - sweep, tipUp, tipOut);
  const wristBack = project(root - chord * 0.95, wristUp, wristOut);
  const back = project(root - chord * 1.15, 0.02, 0.03);
  const between = (share: number, behind: number) =>
    project(
      root + 0.07 - (0.07 + sweep) * share - behind,
      wristUp + (tipUp - wristUp) * share,
      wristOut + (tipOut - wristOut) * share,
    );

  const arm = new Path2D();
  arm.moveTo(front.x, front.y);
  arm.quadraticCurveTo(
    (front.x + wristFront.x) / 2 + 0.03,
    (front.y + wristFront.y) / 2 - 0.03,
    wristFront.x,
    wristFront.y,
  );
  const nose = between(0.5, -0.03);
  arm.quadraticCurveTo(nose.x, nose.y, tip.x, tip.y);
  if (shape.fingers > 0) {
    for (let finger = 0; finger < shape.fingers; finger++) {
      const notch = between(0.72 - 0.12 * finger, 0.12 + 0.035 * finger);
      const end = between(0.93 - 0.11 * finger, 0.16 + 0.06 * finger);
      arm.lineTo(notch.x, notch.y);
      arm.lineTo(end.x, end.y);
    }
  } else {
    const trailing = between(0.45, 0.24);
    arm.quadraticCurveTo(trailing.x, trailing.y, wristBack.x, wristBack.y);
  }
  arm.lineTo(wristBack.x, wristBack.y);
  arm.quadraticCurveTo((wristBack.x + back.x) / 2 - 0.02, (wristBack.y + back.y) / 2, back.x, back.y);
  arm.closePath();
  const base = side < 0 ? tones.shade : mix(tones.body, tones.shade, 0.25);
  fill(context, base, arm);

  // The ends of the wings have the accent colour.
  within(context, arm, () => {
    context.fillStyle = css(side < 0 ? mix(tones.tip, tones.shade, 0.4) : tones.tip);
    const from = between(shape.isGull ? 0.66 : 0.42, 0);
    const to = between(shape.isGull ? 0.66 : 0.3, 0.4);
    const beyond = between(1.5, -0.3);
    const beyondBack = between(1.5, 0.6);
    context.beginPath();
    context.moveTo(from.x + 0.1, from.y - 0.04);
    context.lineTo(beyond.x, beyond.y);
    context.lineTo(beyondBack.x, beyondBack.y);
    context.lineTo(to.x, to.y);
    context.fill();
  });
}
