import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import { disc, drawAt, linearGradient, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { lightOn, type Planet, type SpaceColours } from './planet.ts';

/** The start and the end of the bands of a ring, in radii of the planet, and their density. */
const bands = [
  { from: 1.28, to: 1.36, density: 0.28 },
  { from: 1.38, to: 1.62, density: 0.8 },
  { from: 1.63, to: 1.72, density: 0.5 },
  { from: 1.78, to: 2.02, density: 0.68 },
  { from: 2.04, to: 2.1, density: 0.3 },
] as const;

/** Creates a ring seen from the side: the half behind the planet, and the half in front with its shadow on it. */
export function createRing(
  setting: Setting,
  { x, y, radius, lean }: Planet,
  colours: SpaceColours,
  openness: number,
): { drawBehind(context: SKRSContext2D): void; drawBefore(context: SKRSContext2D): void } {
  const light = lightOn(setting, { x, y });
  const bright = lighten(mix(colours.planet[3], colours.planet[2], 0.25), 0.02);
  const dark = mix(colours.planet[1], colours.deep, 0.45);

  function drawHalf(context: SKRSContext2D, isBefore: boolean): void {
    drawAt(context, { x, y, angle: lean, scale: radius }, () => {
      context.beginPath();
      context.rect(-3, isBefore ? 0 : -3, 6, 3);
      context.clip();
      if (isBefore) {
        context.fillStyle = css(colours.deep, 0.35);
        within(context, disc(0, 0, 0.995), () => annulus(context, 1.38, 2, openness, -0.1));
      }
      const along = light.x * Math.cos(lean) + light.y * Math.sin(lean);
      for (const { from, to, density } of bands) {
        context.fillStyle = linearGradient(context, [along * 2, 0, -along * 2, 0], {
          0: css(bright, density),
          0.5: css(mix(bright, dark, 0.35), density),
          // The planet is between the sun and this part.
          [isBefore ? 0.8 : 0.62]: css(dark, density * (isBefore ? 0.8 : 0.35)),
          1: css(mix(bright, dark, 0.6), density * 0.8),
        });
        annulus(context, from, to, openness, 0);
      }
    });
  }

  return {
    drawBehind: (context) => drawHalf(context, false),
    drawBefore: (context) => drawHalf(context, true),
  };
}

function annulus(context: SKRSContext2D, from: number, to: number, openness: number, y: number): void {
  context.beginPath();
  context.ellipse(0, y, to, to * openness, 0, 0, 2 * Math.PI);
  context.ellipse(0, y, from, from * openness, 0, 0, 2 * Math.PI);
  context.fill('evenodd');
}
