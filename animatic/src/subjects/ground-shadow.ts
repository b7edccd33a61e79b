import { type Colour, css, mix } from '../drawing/colour.ts';
import type { Paint } from '../drawing/layer.ts';
import { ellipse, fading, fill, fillGlow } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';

/** Creates a soft shadow, its colour on a wet street and, at night, a pale light that shows even a black cat. */
export function createGroundShadow({ palette, storyboard }: Setting, halfLength: number, reflected: Colour): Paint {
  const shadow = css(palette.ink, (palette.isDay ? 0.2 : 0.3) * (0.6 + 0.4 * palette.sunStrength));
  const isRain = storyboard.weather === 'rain' || storyboard.weather === 'storm';
  // Sand, grass and moss reflect nothing.
  const isWet = isRain && (storyboard.scene === 'city' || storyboard.scene === 'town');
  const reflection = css(reflected, 0.22);
  const pale = mix(palette.glow, palette.skyLow, 0.4);
  return (context) => {
    if (palette.isNight) {
      const place = { x: 0.04, y: -0.36, radius: 0.85, core: 0.05 };
      fillGlow(context, place, fading(pale, { 0: 0.42, 0.4: 0.24, 1: 0 }));
    }
    fill(context, shadow, () => {
      context.ellipse(0.02, 0.004, halfLength, 0.02, 0, 0, 2 * Math.PI);
      context.ellipse(0.02, 0.006, 0.78 * halfLength, 0.032, 0, 0, 2 * Math.PI);
    });
    if (!isWet) return;
    fill(context, reflection, ellipse(0.02, 0.09, 0.75 * halfLength, 0.08));
  };
}
