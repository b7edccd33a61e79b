import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import { disc, ellipse, fill, fillRect, linearGradient, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Wagon } from './wagon.ts';

const head = 'M0-.06C0-.1-.03-.135-.075-.175Q-.12-.215-.2-.22L-.74-.22L-.74-.05L-.02-.05Q0-.05 0-.06Z';
const middle = 'M-.01-.05L-.01-.21Q-.01-.22-.02-.22L-.68-.22Q-.69-.22-.69-.21L-.69-.05Z';
const windscreen = 'M-.045-.128C-.06-.15-.09-.185-.135-.197L-.185-.197L-.185-.128Z';

/** Creates a modern regional train: a round nose, a long window, a stripe. `speed` is in its lengths per second. */
export function createRailcars(setting: Setting, speed: number): Wagon[] {
  const middleCar = createCar(setting, { speed, isHead: false });
  return [createCar(setting, { speed, isHead: true }), middleCar, middleCar, middleCar, middleCar];
}

function createCar({ palette }: Setting, { speed, isHead }: { speed: number; isHead: boolean }): Wagon {
  const shell = new Path2D(isHead ? head : middle);
  const screen = new Path2D(windscreen);
  const white = palette.lit(colour(0.95, 0.012, 240));
  const dark = mix(palette.ink, palette.skyTop, 0.2);
  const length = isHead ? 0.75 : 0.7;
  const panes = new Path2D();
  const doors = new Path2D();
  const first = isHead ? -0.3 : -0.09;
  for (let x = first; x > -length + 0.06; x -= 0.082) panes.roundRect(x - 0.03, -0.188, 0.066, 0.055, 0.01);
  for (const x of isHead ? [-0.235] : [-0.05, -0.66]) doors.roundRect(x - 0.022, -0.19, 0.044, 0.13, 0.008);
  const glass = palette.isDay ? css(mix(palette.skyMiddle, dark, 0.5)) : css(palette.lamp);
  const lamp = css(palette.isDay ? palette.lit(colour(0.97, 0.03, 95)) : lighten(palette.lamp, 0.07));
  return {
    length,
    draw(context, moment) {
      fillRect(context, palette.ink, -length - 0.005, -0.2, 0.03, 0.14);
      context.beginPath();
      for (const x of [-0.15, -length + 0.16]) context.roundRect(x - 0.08, -0.055, 0.16, 0.028, 0.01);
      context.fill();
      context.fillStyle = linearGradient(context, [0, -0.22, 0, -0.05], {
        0: white,
        0.55: mix(white, palette.skyMiddle, 0.15),
        1: mix(white, palette.ink, 0.35),
      });
      context.fill(shell);
      context.save();
      // Only the stripe of the first car must be clipped to its nose; the other cars are straight.
      if (isHead) context.clip(shell);
      fillRect(context, palette.accent, -length + 0.01, -0.125, length - (isHead ? 0 : 0.02), 0.045);
      if (isHead) {
        context.beginPath();
        context.moveTo(0.01, -0.05);
        context.lineTo(0.01, -0.2);
        context.quadraticCurveTo(-0.16, -0.13, -0.3, -0.08);
        context.fill();
      }
      fillRect(context, dark, -length + 0.01, -0.197, length - (isHead ? 0.225 : 0.02), 0.073);
      fillRect(context, css(palette.sun, 0.22 * palette.sunStrength), -length, -0.22, length - 0.02, 0.012);
      context.restore();
      fill(context, glass, panes);
      fill(context, mix(palette.accent, palette.ink, 0.2), doors);
      if (isHead) drawFace(context, { screen, lamp, glass: css(mix(dark, palette.skyLow, 0.25)) });
      else drawPantograph(context, css(dark));
      for (const x of [-0.1, -0.2, -length + 0.21, -length + 0.11])
        drawWheel(context, x, moment.turn(speed / 0.19), palette);
    },
  };
}

function drawFace(
  context: SKRSContext2D,
  { screen, lamp, glass }: { screen: Path2D; lamp: string; glass: string },
): void {
  fill(context, glass, screen);
  fill(context, lamp, ellipse(-0.022, -0.094, 0.02, 0.011, 0.5));
}

function drawPantograph(context: SKRSContext2D, style: string): void {
  stroke(context, style, 0.008, () => {
    context.moveTo(-0.3, -0.22);
    context.lineTo(-0.24, -0.255);
    context.lineTo(-0.3, -0.288);
    context.moveTo(-0.34, -0.289);
    context.lineTo(-0.26, -0.289);
  });
  fillRect(context, style, -0.42, -0.232, 0.2, 0.014);
}

function drawWheel(context: SKRSContext2D, x: number, turn: number, palette: Setting['palette']): void {
  const radius = 0.03;
  fill(context, mix(palette.ink, palette.skyTop, 0.1), disc(x, -radius, radius));
  const angle = 2 * Math.PI * turn;
  stroke(context, palette.lit(colour(0.6, 0.02, 250)), 0.007, () => {
    context.moveTo(x - Math.cos(angle) * radius * 0.6, -radius - Math.sin(angle) * radius * 0.6);
    context.lineTo(x + Math.cos(angle) * radius * 0.6, -radius + Math.sin(angle) * radius * 0.6);
  });
}
