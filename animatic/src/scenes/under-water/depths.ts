import { type Colour, colour, lighten, mix } from '../../drawing/colour.ts';
import type { Setting } from '../../drawing/setting.ts';

/** The colours of water seen from below the surface. */
export interface Depths {
  shallow: Colour;
  /** The light that falls through the surface. */
  beam: Colour;
  middle: Colour;
  deep: Colour;
  /** Returns any colour as it looks in the light under water. */
  lit: (material: Colour) => Colour;
  /** Returns a colour that is already lit as it looks through the water: at depth 0 only water, at depth 1 itself. */
  through: (tone: Colour, depth: number) => Colour;
}

/** Mixes the colours from the light above the water. */
export function depthsOf({ palette }: Pick<Setting, 'palette'>): Depths {
  // Water keeps its own hue in any light; with `palette.lit` alone it would turn grey in a red dusk.
  const lit = (own: Colour) => {
    const above = palette.lit(own);
    return mix({ ...own, lightness: 0.45 * own.lightness + 0.55 * above.lightness }, above, 0.2);
  };
  const shallow = mix(lit(colour(0.86, 0.1, 195)), palette.skyLow, palette.isDay ? 0.2 : 0.07);
  const middle = mix(lit(colour(0.62, 0.12, 222)), palette.skyMiddle, 0.1);
  const deep = mix(lit(colour(0.38, 0.1, 255)), palette.skyTop, 0.15);
  return {
    shallow,
    // Unless it is day, only a little of the light's colour comes down, because red on blue would be grey.
    beam: mix(lighten(shallow, 0.12), palette.glow, palette.isDay ? 0.4 : 0.18),
    middle,
    deep,
    lit,
    through: (tone, depth) =>
      mix(mix(middle, shallow, 0.12), tone, 0.08 + 0.92 * Math.min(1, Math.max(0, depth)) ** 1.05),
  };
}
