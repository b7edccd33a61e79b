import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';

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
  context.fillStyle = css(tones.joint);
  context.beginPath();
  context.roundRect(-0.06, -0.09, 0.12, 0.06, 0.01);
  context.fill();
  context.fillStyle = css(tones.steelShade);
  context.beginPath();
  context.roundRect(-0.095, -0.045, 0.19, 0.085, [0.02, 0.02, 0.045, 0.045]);
  context.fill();
  const chest = () => {
    context.beginPath();
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
  chest();
  context.fillStyle = css(tones.shell);
  context.fill();
  context.save();
  chest();
  context.clip();
  context.fillStyle = css(tones.rim);
  context.fillRect(-0.2, -0.36, 0.4, 0.022);
  context.fillStyle = css(tones.shellShade);
  context.beginPath();
  context.moveTo(-0.2, -0.4);
  context.lineTo(-0.085, -0.4);
  context.quadraticCurveTo(-0.1, -0.2, -0.06, -0.05);
  context.lineTo(-0.2, -0.05);
  context.fill();
  context.fillRect(-0.2, -0.098, 0.4, 0.04);
  context.restore();
  context.fillStyle = css(tones.visor);
  context.beginPath();
  context.roundRect(-0.03, -0.295, 0.14, 0.115, 0.018);
  context.fill();
  drawLamps(context, tones, moment);
}

/** Draws a dial and lamps that blink in turn. */
function drawLamps(context: SKRSContext2D, tones: RobotTones, moment: Moment): void {
  if (tones.isGlowing) drawGlow(context, tones.light, { x: 0.005, y: -0.237 }, 0.12, 0.4);
  context.fillStyle = css(tones.light);
  context.beginPath();
  context.arc(0.007, -0.237, 0.022, 0, 2 * Math.PI);
  context.fill();
  for (const [index, lamp] of [colour(0.68, 0.2, 25), colour(0.86, 0.16, 92), colour(0.78, 0.18, 148)].entries()) {
    const isOn = Math.floor(3 * moment.turn(1)) === index;
    context.fillStyle = css(isOn ? lamp : mix(lamp, tones.visor, 0.65));
    context.beginPath();
    context.roundRect(0.048, -0.278 + 0.032 * index, 0.045, 0.017, 0.006);
    context.fill();
  }
}

/** Draws the head, with the middle of its neck at the origin. The face is turned a little towards the viewer. */
export function drawRobotHead(
  context: SKRSContext2D,
  { tones, antennas, isRound, moment }: { tones: RobotTones; antennas: 1 | 2; isRound: boolean; moment: Moment },
): void {
  context.fillStyle = css(tones.joint);
  context.beginPath();
  context.roundRect(-0.04, -0.04, 0.09, 0.06, 0.01);
  context.fill();
  drawAntennas(context, tones, antennas, moment);
  const outline = () => {
    context.beginPath();
    context.roundRect(-0.125, -0.215, 0.255, 0.185, isRound ? [0.11, 0.11, 0.05, 0.05] : 0.045);
  };
  context.fillStyle = css(tones.steelShade);
  context.beginPath();
  context.roundRect(-0.142, -0.15, 0.03, 0.07, 0.012);
  context.roundRect(0.118, -0.15, 0.026, 0.07, 0.012);
  context.fill();
  outline();
  context.fillStyle = css(tones.shell);
  context.fill();
  context.save();
  outline();
  context.clip();
  context.fillStyle = css(tones.rim);
  context.fillRect(-0.15, -0.22, 0.3, 0.02);
  context.fillStyle = css(tones.shellShade);
  context.fillRect(-0.15, -0.22, 0.055, 0.25);
  context.fillRect(-0.15, -0.05, 0.3, 0.03);
  context.restore();
  context.fillStyle = css(tones.visor);
  context.beginPath();
  context.roundRect(-0.065, -0.175, 0.185, 0.105, 0.035);
  context.fill();
  // The eyes close for an instant now and then.
  const open = moment.turn(0.4) > 0.94 ? 0.12 : 1;
  for (const x of [-0.012, 0.07]) {
    if (tones.isGlowing) drawGlow(context, tones.light, { x, y: -0.123 }, 0.11, 0.55);
    context.fillStyle = css(tones.light);
    context.beginPath();
    context.ellipse(x, -0.123, 0.022, 0.026 * open, 0, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawAntennas(context: SKRSContext2D, tones: RobotTones, antennas: 1 | 2, moment: Moment): void {
  const places = antennas === 1 ? [0.002] : [-0.06, 0.065];
  for (const x of places) {
    const tip = { x: x + (antennas === 1 ? 0 : 0.5 * x) + 0.012 * moment.wave(1.6), y: -0.285 };
    context.strokeStyle = css(tones.steelShade);
    context.lineWidth = 0.013;
    context.beginPath();
    context.moveTo(x, -0.2);
    context.quadraticCurveTo(x, -0.25, tip.x, tip.y);
    context.stroke();
    if (tones.isGlowing) drawGlow(context, tones.light, tip, 0.09, 0.45);
    context.fillStyle = css(tones.light);
    context.beginPath();
    context.arc(tip.x, tip.y, 0.02, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawGlow(
  context: SKRSContext2D,
  light: Colour,
  { x, y }: { x: number; y: number },
  reach: number,
  strength: number,
): void {
  const glow = context.createRadialGradient(x, y, 0, x, y, reach);
  glow.addColorStop(0, css(light, strength));
  glow.addColorStop(1, css(light, 0));
  context.fillStyle = glow;
  context.fillRect(x - reach, y - reach, 2 * reach, 2 * reach);
}
