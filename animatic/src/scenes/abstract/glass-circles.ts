import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { addDisc, disc, fill, linearGradient, type Point, radialGradient, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createSprite } from '../../drawing/sprite.ts';
import type { Harmony } from './harmony.ts';

/** Creates discs of coloured glass that drift past each other; where two overlap, their colours mix. */
export function createGlassCircles(setting: Setting, harmony: Harmony): Layer[] {
  const { stage, dice } = setting;
  const heart = { x: stage.width * dice.between(0.42, 0.58), y: stage.height * dice.between(0.42, 0.54) };
  const turn = dice.between(0, 7);
  const sizes = [0.4, 0.3, 0.24, 0.19, 0.15, 0.11, 0.08, 0.05, 0.03];
  const orbits = createOrbits(setting, harmony, heart);
  const discs = sizes.map((size, index) => {
    // The golden angle from one disc to the next: they gather around a centre and never line up.
    const angle = turn + index * 2.4;
    const away = 0.06 + 0.42 * Math.sqrt(index / sizes.length);
    return createDisc(setting, harmony, {
      depth: 0.2 + 0.09 * index,
      x: heart.x + away * Math.cos(angle) * (0.35 + 0.6 * stage.width),
      y: heart.y + away * Math.sin(angle) * (0.35 + 0.6 * stage.height),
      radius: size * dice.between(0.9, 1.15),
      place: 0.3 + 0.7 * ((index * 0.382 + dice.between(0, 0.12)) % 1),
      lag: index * 0.17,
    });
  });
  return [orbits, ...discs];
}

/** Creates fine rings around the centre, so that the discs seem to follow a plan. */
function createOrbits({ stage }: Setting, harmony: Harmony, heart: Point): Layer {
  const tone = css(harmony.at(0.7), 0.22);
  return {
    depth: 0.12,
    draw(context, moment) {
      stroke(context, tone, 0.0022, () => {
        for (let ring = 1; ring <= 6; ring++) {
          const radius = ring * 0.085 * (1 + stage.width * 0.35) * (1 + 0.02 * moment.wave(0.12, ring * 0.1));
          addDisc(context, heart.x, heart.y, radius);
        }
      });
    },
  };
}

interface Disc {
  depth: number;
  x: number;
  y: number;
  radius: number;
  place: number;
  lag: number;
}

function createDisc(
  { palette, sun, pixelsPerUnit }: Setting,
  harmony: Harmony,
  { depth, x, y, radius, place, lag }: Disc,
): Layer {
  const tone = harmony.at(place);
  const toSun = Math.atan2(sun.y - y, sun.x - x);
  const light = { x: Math.cos(toSun), y: Math.sin(toSun) };
  const bright = css(lighten(tone, 0.1), 0.92);
  const clear = css(mix(tone, harmony.at(place - 0.25), 0.6), 0.22);
  const rim = css(mix(lighten(tone, 0.25), palette.sun, 0.5), 0.75);
  const rimGone = css(tone, 0);
  const shade = css(mix(harmony.at(0), palette.ink, 0.4), 0.2);
  const shadeGone = css(harmony.at(0), 0);
  const fall = { x: -light.x * radius * 0.16, y: 0.12 * radius };
  const draw = createSprite(
    pixelsPerUnit,
    { left: -1.4 * radius, top: -1.4 * radius, width: 2.8 * radius, height: 2.8 * radius },
    (context) => {
      const drop = radialGradient(context, [fall.x, fall.y, radius * 0.8, fall.x, fall.y, radius * 1.22], {
        0: shade,
        1: shadeGone,
      });
      fill(context, drop, disc(fall.x, fall.y, radius * 1.22));
      const glass = linearGradient(
        context,
        [light.x * radius, light.y * radius, -light.x * radius, -light.y * radius],
        { 0: bright, 1: clear },
      );
      fill(context, glass, disc(0, 0, radius));
      const line = linearGradient(
        context,
        [light.x * radius, light.y * radius, -light.x * radius * 0.3, -light.y * radius * 0.3],
        { 0: rim, 1: rimGone },
      );
      stroke(context, line, 0.0032, disc(0, 0, radius - 0.0016));
    },
  );
  return {
    depth,
    draw(context, moment) {
      context.translate(x + 0.05 * moment.wave(0.12, lag), y + 0.06 * moment.wave(0.12, lag + 0.31));
      draw(context);
    },
  };
}
