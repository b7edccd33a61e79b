import { type Colour, colour, css, lighten, mix } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import { namedColours } from '../../drawing/named-colours.ts';
import type { Setting } from '../../drawing/setting.ts';

/** A few colours that match, as one gradient from deep to bright. */
export interface Harmony {
  /** Returns the colour at a place of the gradient: 0 is the deepest, 1 the brightest. */
  at(place: number): Colour;
  /** Returns the same colour as the four bytes of a pixel, from a table; `light`, −1..1, makes it darker or lighter. */
  pixel(place: number, light: number): number;
}

/** Hues from deep to bright that go well together; the light of the time of day decides how deep and how bright. */
const families: readonly [readonly number[], ...(readonly number[])[]] = [
  [325, 5, 35, 62, 85],
  [268, 240, 205, 180, 105],
  [285, 310, 345, 20, 70],
  [255, 290, 350, 40, 80],
  [195, 175, 150, 110, 92],
  [250, 230, 215, 60, 75],
];

const steps = 96;
const lights = 48;

/** Creates an abstract picture's colours from the prompt's or from a random family, in the time's light. */
export function createHarmony({
  palette,
  storyboard,
  dice,
}: Pick<Setting, 'palette' | 'storyboard' | 'dice'>): Harmony {
  const deepest = Math.min(0.36, Math.max(0.15, palette.skyTop.lightness * 0.72));
  const brightest = 0.5 + 0.46 * palette.skyLow.lightness;
  const randomFamily = dice.pick(families);
  const named = storyboard.colours.map((name) => namedColours[name]);
  const hues = named.length > 0 ? spread(named, dice.sign()) : randomFamily.map((hue) => colour(0.6, 0.125, hue));
  const skies = [palette.skyTop, palette.skyTop, palette.skyMiddle, palette.glow, palette.skyLow];
  const run = hues.map((base, index) => {
    const lightness = deepest + (brightest - deepest) * (index / (hues.length - 1)) ** 0.9;
    // The ends of the gradient have less chroma than its middle, so that bright colours do not look like neon.
    const chroma = base.chroma * (0.72 + 0.5 * Math.sin((Math.PI * (index + 0.6)) / hues.length));
    // Gold that is only darkened turns olive, so its hue moves towards amber.
    const isGold = base.hue > 72 && base.hue < 112;
    const hue = isGold ? base.hue - 50 * Math.max(0, 0.88 - lightness) : base.hue;
    return mix(
      { lightness, chroma, hue },
      { ...(skies[index] ?? palette.glow), lightness },
      named.length > 0 ? 0.08 : 0.2,
    );
  });
  // The mix of two named colours is often grey, so the gradient changes quickly from one to the other.
  const steepness = named.length > 1 ? (along: number) => ease(ease(along)) : (along: number) => along;
  const at = (place: number) => {
    const scaled = Math.min(0.9999, Math.max(0, place)) * (run.length - 1);
    const index = Math.floor(scaled);
    const before = run[index] ?? palette.skyTop;
    return mix(before, run[index + 1] ?? before, steepness(scaled - index));
  };
  const table = Uint32Array.from({ length: lights * steps }, (_, index) =>
    pixelOf(lighten(at((index % steps) / (steps - 1)), 0.2 * ((2 * Math.floor(index / steps)) / (lights - 1) - 1))),
  );
  return {
    at,
    pixel(place, light) {
      const row = Math.min(lights - 1, Math.max(0, Math.round((light * 0.5 + 0.5) * (lights - 1))));
      const column = Math.min(steps - 1, Math.max(0, Math.round(place * (steps - 1))));
      return table[row * steps + column] ?? 0;
    },
  };
}

function pixelOf(tone: Colour): number {
  const [red = 0, green = 0, blue = 0] = css(tone).match(/\d+/g)?.map(Number) ?? [];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Returns five colours: one named colour with its neighbours, or several named colours one after the other. */
function spread(named: readonly Colour[], side: number): Colour[] {
  const [first, second] = named;
  if (first && !second) {
    return [-34, -16, 0, 16, 42].map((turn) => ({
      ...first,
      chroma: first.chroma * 0.9,
      hue: first.hue + side * turn,
    }));
  }
  // The deeper colours come first, in whatever order they were named. They are not mixed, because mixes are often grey.
  const sorted = named.toSorted((one, other) => one.lightness - other.lightness);
  return Array.from(
    { length: 5 },
    (_, index) => sorted[Math.floor((index / 5) * sorted.length)] ?? colour(0.6, 0.1, 250),
  );
}
