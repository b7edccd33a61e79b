import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import { disc, fill, fillRect, linearGradient, roundRect, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Wagon } from './wagon.ts';

/** Creates a steam engine, its tender and four carriages with round roofs. `speed` is in its lengths per second. */
export function createSteamTrain(setting: Setting, speed: number): Wagon[] {
  const carriage = createCarriage(setting, speed);
  return [createEngine(setting, speed), createTender(setting, speed), carriage, carriage, carriage, carriage];
}

const drivers = [-0.6, -0.47, -0.34] as const;
const driverRadius = 0.058;

function createEngine({ palette }: Setting, speed: number): Wagon {
  const iron = mix(palette.lit(colour(0.34, 0.03, 265)), palette.ink, 0.2);
  const paint = mix(palette.accent, palette.ink, 0.12);
  const brass = css(mix(palette.lit(colour(0.8, 0.12, 85)), palette.sun, 0.2 * palette.sunStrength));
  const cab = new Path2D('M-.72-.055L-.72-.235L-.53-.235L-.545-.17L-.545-.055Z');
  const cabRoof = new Path2D('M-.745-.228Q-.63-.275-.505-.228L-.505-.22L-.745-.22Z');
  const front = new Path2D('M-.055-.06L.005-.012L-.1-.012L-.11-.06Z');
  const wheel = createSpokedWheel(palette, driverRadius);
  const small = createSpokedWheel(palette, 0.034);
  return {
    length: 0.75,
    draw(context, moment) {
      // The chimney, the dome and the bell stand on the boiler.
      fill(context, iron, () => {
        context.moveTo(-0.135, -0.17);
        context.lineTo(-0.143, -0.235);
        context.lineTo(-0.155, -0.25);
        context.lineTo(-0.065, -0.25);
        context.lineTo(-0.077, -0.235);
        context.lineTo(-0.085, -0.17);
        context.roundRect(-0.44, -0.212, 0.06, 0.06, [0.03, 0.03, 0, 0]);
      });
      fill(context, brass, roundRect(-0.3, -0.222, 0.075, 0.07, [0.037, 0.037, 0, 0]));
      context.fillStyle = linearGradient(context, [0, -0.185, 0, -0.06], {
        0: lighten(paint, 0.03),
        0.25: mix(paint, palette.sun, 0.1 + 0.2 * palette.sunStrength),
        0.5: paint,
        1: mix(paint, palette.ink, 0.6),
      });
      context.fillRect(-0.56, -0.182, 0.42, 0.12);
      fill(context, iron, roundRect(-0.15, -0.188, 0.105, 0.13, [0, 0.035, 0.02, 0]));
      context.fillStyle = brass;
      for (const x of [-0.45, -0.35, -0.2]) context.fillRect(x, -0.182, 0.008, 0.118);
      fill(context, mix(paint, palette.ink, 0.15), cab);
      fill(context, iron, cabRoof);
      fill(context, palette.isDay ? css(mix(palette.skyMiddle, palette.ink, 0.35)) : css(palette.lamp), () => {
        context.roundRect(-0.685, -0.205, 0.09, 0.068, 0.01);
      });
      fillRect(context, mix(palette.ink, paint, 0.15), -0.74, -0.068, 0.69, 0.018);
      context.fill(front);
      context.beginPath();
      context.roundRect(-0.22, -0.062, 0.11, 0.045, 0.012);
      context.fill();
      fill(context, palette.isDay ? palette.lit(colour(0.95, 0.04, 95)) : lighten(palette.lamp, 0.06), () => {
        context.arc(-0.045, -0.2, 0.018, 0, 2 * Math.PI);
      });
      const turn = moment.turn(speed / (2 * Math.PI * driverRadius));
      for (const x of drivers) wheel(context, x, turn);
      for (const x of [-0.2, -0.11]) small(context, x, moment.turn(speed / (2 * Math.PI * 0.034)));
      drawRods(context, turn, css(palette.lit(colour(0.78, 0.015, 250))));
    },
  };
}

/** Draws the rods between the wheels, which turn with them. */
function drawRods(context: SKRSContext2D, turn: number, style: string): void {
  const angle = 2 * Math.PI * turn;
  const x = Math.cos(angle) * driverRadius * 0.5;
  const y = -driverRadius + Math.sin(angle) * driverRadius * 0.5;
  context.lineCap = 'round';
  stroke(context, style, 0.013, () => {
    context.moveTo(drivers[0] + x, y);
    context.lineTo(drivers[2] + x, y);
    context.moveTo(drivers[1] + x, y);
    context.lineTo(-0.22 + x * 0.6, -0.042);
  });
}

function createTender({ palette }: Setting, speed: number): Wagon {
  const small = createSpokedWheel(palette, 0.034);
  const paint = css(mix(palette.accent, palette.ink, 0.24));
  return {
    length: 0.3,
    draw(context, moment) {
      fill(context, palette.ink, () => {
        context.ellipse(-0.14, -0.165, 0.1, 0.035, 0, 0, 2 * Math.PI);
        context.rect(0, -0.07, 0.03, 0.012);
      });
      fill(context, paint, roundRect(-0.27, -0.17, 0.26, 0.115, 0.012));
      fillRect(context, css(palette.lit(colour(0.8, 0.12, 85)), 0.8), -0.255, -0.155, 0.23, 0.006);
      for (const x of [-0.22, -0.14, -0.06]) small(context, x, moment.turn(speed / (2 * Math.PI * 0.034)));
    },
  };
}

function createCarriage({ palette }: Setting, speed: number): Wagon {
  const small = createSpokedWheel(palette, 0.034);
  const cream = palette.lit(colour(0.92, 0.045, 88));
  const glass = palette.isDay ? css(mix(palette.skyTop, palette.ink, 0.45)) : css(palette.lamp);
  const panes = new Path2D();
  for (let pane = 0; pane < 6; pane++) panes.roundRect(-0.595 + pane * 0.094, -0.17, 0.066, 0.056, 0.012);
  return {
    length: 0.66,
    draw(context, moment) {
      fillRect(context, palette.ink, -0.66, -0.066, 0.68, 0.014);
      const roof = css(mix(palette.lit(colour(0.5, 0.03, 260)), palette.cover, palette.coverAmount === 1 ? 0.85 : 0));
      fill(context, roof, roundRect(-0.645, -0.222, 0.63, 0.05, [0.04, 0.04, 0, 0]));
      fillRect(context, cream, -0.635, -0.192, 0.61, 0.1);
      const paint = linearGradient(context, [-0.6, 0, 0, 0], {
        0: mix(palette.accent, palette.ink, 0.16),
        1: palette.accent,
      });
      fill(context, paint, roundRect(-0.635, -0.104, 0.61, 0.054, [0, 0, 0.012, 0.012]));
      fill(context, glass, panes);
      for (const x of [-0.56, -0.48, -0.18, -0.1]) small(context, x, moment.turn(speed / (2 * Math.PI * 0.034)));
    },
  };
}

type DrawWheel = (context: SKRSContext2D, x: number, turn: number) => void;

function createSpokedWheel(palette: Setting['palette'], radius: number): DrawWheel {
  const tyre = css(mix(palette.ink, palette.skyTop, 0.1));
  const inner = css(mix(palette.lit(colour(0.5, 0.1, 30)), palette.ink, 0.35));
  const spokes = radius > 0.05 ? 8 : 5;
  return (context, x, turn) => {
    fill(context, tyre, disc(x, -radius, radius));
    stroke(context, inner, radius * 0.16, () => {
      for (let spoke = 0; spoke < spokes; spoke++) {
        const angle = 2 * Math.PI * (turn + spoke / spokes);
        context.moveTo(x, -radius);
        context.lineTo(x + Math.cos(angle) * radius * 0.78, -radius + Math.sin(angle) * radius * 0.78);
      }
    });
  };
}
