import { type Colour, colour, mix } from '../../drawing/colour.ts';
import type { Palette } from '../../drawing/palette.ts';

/** Returns the colour of foam and spray: white that takes the light of the sun, also when everything else is dark. */
export function foamTone(palette: Palette): Colour {
  const white = palette.lit(colour(0.98, 0.008, 220));
  return mix(white, palette.sun, palette.isDay ? 0.3 : palette.isNight ? 0.4 : 0.7 * palette.sunStrength + 0.1);
}
