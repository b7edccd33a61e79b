import { Path2D } from '@napi-rs/canvas';
import { type Colour, colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw, Paint } from '../../drawing/layer.ts';
import { addLens, fill, stroke } from '../../drawing/paint.ts';
import type { Palette } from '../../drawing/palette.ts';
import { createReflection } from '../../drawing/reflection.ts';
import type { Setting } from '../../drawing/setting.ts';

/** The folds of a paper boat from far to near: the hull's far rim, the peak, and its near side. */
const folds = {
  farSide: new Path2D('M-.5 -.21L-.2 -.25L.2 -.25L.5 -.21L.32 -.02L-.32 -.02Z'),
  peakShaded: new Path2D('M-.27 -.13L0 -.55L0 -.1Z'),
  peakLit: new Path2D('M.27 -.13L0 -.55L0 -.1Z'),
  hull: new Path2D('M-.5 -.21C-.3 -.15 -.12 -.125 0 -.12C.12 -.125 .3 -.15 .5 -.21L.3 .06L-.3 .06Z'),
  hullShade: new Path2D('M-.5 -.21C-.3 -.15 -.12 -.125 0 -.12L-.05 .06L-.3 .06Z'),
  rim: new Path2D(
    'M-.5 -.21C-.3 -.15 -.12 -.125 0 -.12C.12 -.125 .3 -.15 .5 -.21' +
      'L.482 -.186C.29 -.128 .12 -.102 0 -.097C-.12 -.102 -.29 -.128 -.482 -.186Z',
  ),
};
const creases = new Path2D('M0 -.12L-.07 .05M.28 -.145L.12 .05M-.28 -.145L-.2 .05M0 -.55L0 -.12');

/** Creates a boat folded from a sheet of paper, in the colour that the prompt names or white. */
export function createPaperHull({ palette, storyboard }: Setting): Paint {
  const white = whitePaper(palette);
  const paper = storyboard.colours.length > 0 ? mix(palette.accent, white, 0.15) : white;
  const shadow = mix(palette.skyMiddle, palette.ink, 0.35);
  const crease = css(mix(paper, shadow, 0.5), 0.55);
  return (context) => {
    fill(context, mix(paper, shadow, 0.42), folds.farSide);
    fill(context, mix(paper, shadow, 0.26), folds.peakShaded);
    fill(context, lighten(paper, 0.02), folds.peakLit);
    fill(context, paper, folds.hull);
    fill(context, mix(paper, shadow, 0.2), folds.hullShade);
    fill(context, lighten(mix(paper, palette.glow, 0.1), 0.03), folds.rim);
    stroke(context, crease, 0.006, creases);
  };
}

/** Returns the colour of white paper. It is thin and pale, so that even a low sun and the moon show on it. */
function whitePaper(palette: Palette): Colour {
  return mix(palette.lit(colour(0.98, 0.012, 90)), palette.sun, palette.isDay ? 0.1 : palette.isNight ? 0.35 : 0.55);
}

/** Creates the water that a paper boat drifts on in a street: a film that mirrors the sky, with rings in it. */
export function createStreetWater({ palette }: Setting): Draw {
  const film = css(mix(palette.skyLow, palette.water, 0.3), 0.55);
  const ring = css(mix(palette.skyLow, palette.sun, 0.4), 0.75);
  return (context, moment) => {
    fill(context, film, () => {
      addLens(context, -0.25, 0.03, 1.7, 0.05);
      addLens(context, 0.5, 0.06, 1.2, 0.035);
    });
    fill(context, ring, () => {
      for (const start of [0, 0.33, 0.66]) {
        const age = moment.turn(0.5, start);
        addLens(context, -0.1 * age, 0.02 + 0.05 * age, 0.36 + 0.5 * age, 0.009 * (1 - age));
      }
    });
  };
}

/** Creates the reflection of a paper boat. */
export function createPaperMirror({ palette }: Setting): Draw {
  const point = (x: number, y: number) => ({ x, y });
  const paper = mix(whitePaper(palette), palette.skyMiddle, 0.3);
  return createReflection(
    [
      { outline: [point(-0.27, -0.13), point(0, -0.55), point(0.27, -0.13)], tone: css(paper, 0.42) },
      {
        outline: [point(-0.5, -0.21), point(0.5, -0.21), point(0.32, 0.01), point(-0.32, 0.01)],
        tone: css(paper, 0.55),
      },
    ],
    { depth: 0.42, rows: 14, squash: 1.3, wobble: 0.02 },
  );
}
