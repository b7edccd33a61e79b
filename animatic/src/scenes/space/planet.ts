import { type Colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Paint } from '../../drawing/layer.ts';
import { disc, drawAt, fill, fillRect, type Point, radialGradient, type Stops, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** A planet or a moon. */
export interface Planet {
  x: number;
  y: number;
  radius: number;
  /** The tilt of its axis, in radians. */
  lean: number;
}

/** The colours of a picture in space. */
export interface SpaceColours {
  /** Space itself. */
  deep: Colour;
  /** The planet, from its shaded to its brightest colour. */
  planet: readonly [Colour, Colour, Colour, Colour];
  /** The air around it, lit from behind. */
  air: Colour;
}

/** Creates a sunlit planet: its face, drawn in a circle of radius 1, then its night side, then the rim of its air. */
export function createPlanet(
  setting: Setting,
  { x, y, radius, lean }: Planet,
  colours: SpaceColours,
  drawFace: Paint,
  drawNight?: Paint,
): Paint {
  const light = lightOn(setting, { x, y });
  const night = mix(colours.deep, colours.air, 0.05);
  const halo = css(colours.air, 0.5);
  const haloGone = css(colours.air, 0);
  return (context) => {
    drawAt(context, { x, y, scale: radius }, () => {
      const lightFrom = (share: number, [from, to]: readonly [number, number], stops: Stops) =>
        radialGradient(context, [light.x * share, light.y * share, from, light.x * share, light.y * share, to], stops);
      // The air glows beyond the edge, most on the sun's side.
      const glow = lightFrom(0.07, [0.94, 1.16], { 0: halo, 0.35: css(colours.air, 0.17), 1: haloGone });
      fill(context, glow, disc(0, 0, 1.25));
      within(context, disc(0, 0, 1), () => {
        context.rotate(lean);
        drawFace(context);
        context.rotate(-lean);
        context.fillStyle = lightFrom(0.78, [0.2, 1.8], {
          0: css(colours.air, 0.16),
          0.32: css(night, 0.02),
          0.5: css(night, 0.42),
          0.62: css(night, 0.86),
          0.8: css(night, 0.97),
        });
        context.fillRect(-1, -1, 2, 2);
        drawNight?.(context);
        const rim = lightFrom(-0.09, [0.92, 1.09], { 0: haloGone, 1: css(lighten(colours.air, 0.08), 0.9) });
        fillRect(context, rim, -1, -1, 2, 2);
      });
    });
  };
}

/** Returns the direction from a place to the sun, as a vector of length 1. */
export function lightOn({ sun }: Pick<Setting, 'sun'>, { x, y }: Point): Point {
  const angle = Math.atan2(sun.y - y, sun.x - x);
  return { x: Math.cos(angle), y: Math.sin(angle) };
}

/** Creates the face of a gas giant: curved bands with wavy borders, and one great storm. */
export function createGiantFace({ dice }: Setting, { planet }: SpaceColours): Paint {
  const count = 11;
  const bend = dice.between(0.08, 0.2) * dice.sign();
  const bands = Array.from({ length: count }, (_, index) => ({
    y: -1 + (2 * (index + dice.between(-0.25, 0.25))) / count,
    tone: css(
      lighten(mix(planet[1], planet[dice.pick([0, 2, 2, 3])], dice.between(0.35, 0.95)), dice.between(-0.03, 0.03)),
    ),
    swell: dice.between(0.008, 0.022),
    pace: dice.pick([3, 4, 5]) * Math.PI,
    offset: dice.between(0, 7),
  }));
  const storm = {
    x: dice.between(-0.3, 0.4),
    y: dice.between(0.15, 0.4) * dice.sign(),
    width: dice.between(0.17, 0.24),
  };
  const ground = css(planet[1]);
  return (context) => {
    fillRect(context, ground, -1, -1, 2, 2);
    for (const { y, tone, swell, pace, offset } of bands) {
      fill(context, tone, () => {
        context.moveTo(-1, 1);
        for (let x = -1; x <= 1.01; x += 0.04) {
          const round = bend * (Math.sqrt(Math.max(0, 1 - x * x)) - 0.5);
          context.lineTo(x, y + round + swell * Math.sin(pace * x + offset) * Math.sin(3.1 * x + offset * 2));
        }
        context.lineTo(1, 1);
      });
    }
    const y = storm.y + bend * 0.4;
    for (const [index, size] of [1, 0.74, 0.46].entries()) {
      fill(context, css(planet[[3, 2, 3][index] ?? 2] ?? planet[2], 0.75), () => {
        context.ellipse(storm.x, y, storm.width * size, storm.width * 0.48 * size, 0.1 * index, 0, 2 * Math.PI);
      });
    }
  };
}
