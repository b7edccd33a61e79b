import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, mix } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import { disc, ellipse, fading, fill, fillGlow, fillRect, roundRect, stroke, within } from '../../drawing/paint.ts';

/** The colours of a robot. */
export interface RobotTones {
  shell: Colour;
  shellShade: Colour;
  rim: Colour;
  steel: Colour;
  steelShade: Colour;
  joint: Colour;
  visor: Colour;
  /** The colour of eyes and lamps. */
  light: Colour;
  /** Whether it is dark enough to see the lights shine. */
  isGlowing: boolean;
}

/** Draws the body, with its hips at the origin: a pelvis, and a chest with a panel of lamps. */
export function drawChassis(context: SKRSContext2D, tones: RobotTones, moment: Moment): void {
  fill(context, tones.joint, roundRect(-0.06, -0.09, 0.12, 0.06, 0.01));
  fill(context, tones.steelShade, roundRect(-0.095, -0.045, 0.19, 0.085, [0.02, 0.02, 0.045, 0.045]));
  const chest = () => {
    context.moveTo(-0.15, -0.3);
    context.bezierCurveTo(-0.15, -0.345, -0.12, -0.355, -0.08, -0.355);
    context.lineTo(0.08, -0.355);
    context.bezierCurveTo(0.12, -0.355, 0.15, -0.345, 0.15, -0.3);
    context.lineTo(0.118, -0.1);
    context.quadraticCurveTo(0.112, -0.07, 0.08, -0.07);
    context.lineTo(-0.08, -0.07);
    context.quadraticCurveTo(-0.112, -0.07, -0.118, -0.1);
    context.closePath();
  };
  fill(context, tones.shell, chest);
  within(context, chest, () => {
    fillRect(context, tones.rim, -0.2, -0.36, 0.4, 0.022);
    fill(context, tones.shellShade, () => {
      context.moveTo(-0.2, -0.4);
      context.lineTo(-0.085, -0.4);
      context.quadraticCurveTo(-0.1, -0.2, -0.06, -0.05);
      context.lineTo(-0.2, -0.05);
    });
    fillRect(context, tones.shellShade, -0.2, -0.098, 0.4, 0.04);
  });
  fill(context, tones.visor, roundRect(-0.03, -0.295, 0.14, 0.115, 0.018));
  drawLamps(context, tones, moment);
}

/** Draws a dial and lamps that blink in turn. */
function drawLamps(context: SKRSContext2D, tones: RobotTones, moment: Moment): void {
  if (tones.isGlowing) fillGlow(context, { x: 0.005, y: -0.237, radius: 0.12 }, fading(tones.light, { 0: 0.4, 1: 0 }));
  fill(context, tones.light, disc(0.007, -0.237, 0.022));
  for (const [index, lamp] of [colour(0.68, 0.2, 25), colour(0.86, 0.16, 92), colour(0.78, 0.18, 148)].entries()) {
    const isOn = Math.floor(3 * moment.turn(1)) === index;
    fill(context, isOn ? lamp : mix(lamp, tones.visor, 0.65), () => {
      context.roundRect(0.048, -0.278 + 0.032 * index, 0.045, 0.017, 0.006);
    });
  }
}

/** Draws the head, with the middle of its neck at the origin. The face is turned a little towards the viewer. */
export function drawRobotHead(
  context: SKRSContext2D,
  { tones, antennas, isRound, moment }: { tones: RobotTones; antennas: 1 | 2; isRound: boolean; moment: Moment },
): void {
  fill(context, tones.joint, roundRect(-0.04, -0.04, 0.09, 0.06, 0.01));
  drawAntennas(context, tones, antennas, moment);
  const outline = roundRect(-0.125, -0.215, 0.255, 0.185, isRound ? [0.11, 0.11, 0.05, 0.05] : 0.045);
  fill(context, tones.steelShade, () => {
    context.roundRect(-0.142, -0.15, 0.03, 0.07, 0.012);
    context.roundRect(0.118, -0.15, 0.026, 0.07, 0.012);
  });
  fill(context, tones.shell, outline);
  within(context, outline, () => {
    fillRect(context, tones.rim, -0.15, -0.22, 0.3, 0.02);
    fillRect(context, tones.shellShade, -0.15, -0.22, 0.055, 0.25);
    fillRect(context, tones.shellShade, -0.15, -0.05, 0.3, 0.03);
  });
  fill(context, tones.visor, roundRect(-0.065, -0.175, 0.185, 0.105, 0.035));
  // The eyes close for an instant now and then.
  const open = moment.turn(0.4) > 0.94 ? 0.12 : 1;
  for (const x of [-0.012, 0.07]) {
    if (tones.isGlowing) fillGlow(context, { x, y: -0.123, radius: 0.11 }, fading(tones.light, { 0: 0.55, 1: 0 }));
    fill(context, tones.light, ellipse(x, -0.123, 0.022, 0.026 * open));
  }
}

function drawAntennas(context: SKRSContext2D, tones: RobotTones, antennas: 1 | 2, moment: Moment): void {
  const places = antennas === 1 ? [0.002] : [-0.06, 0.065];
  for (const x of places) {
    const tip = { x: x + (antennas === 1 ? 0 : 0.5 * x) + 0.012 * moment.wave(1.6), y: -0.285 };
    stroke(context, tones.steelShade, 0.013, () => {
      context.moveTo(x, -0.2);
      context.quadraticCurveTo(x, -0.25, tip.x, tip.y);
    });
    if (tones.isGlowing) fillGlow(context, { ...tip, radius: 0.09 }, fading(tones.light, { 0: 0.45, 1: 0 }));
    fill(context, tones.light, disc(tip.x, tip.y, 0.02));
  }
}
