import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, mix } from '../drawing/colour.ts';
import type { Setting } from '../drawing/setting.ts';

/**
 * Creates the soft shadow below something that stands, its colour on a wet street and, at night, a pale light behind it,
 * against which even a black cat is seen.
 */
export function createGroundShadow(
  { palette, storyboard }: Setting,
  halfLength: number,
  reflected: Colour,
): (context: SKRSContext2D) => void {
  const shadow = css(palette.ink, (palette.isDay ? 0.2 : 0.3) * (0.6 + 0.4 * palette.sunStrength));
  const isRain = storyboard.weather === 'rain' || storyboard.weather === 'storm';
  // Sand, grass and moss reflect nothing.
  const isWet = isRain && (storyboard.scene === 'city' || storyboard.scene === 'town');
  const reflection = css(reflected, 0.22);
  const [x, y, reach] = [0.04, -0.36, 0.85];
  const pale = mix(palette.glow, palette.skyLow, 0.4);
  return (context) => {
    if (palette.isNight) {
      const light = context.createRadialGradient(x, y, 0.05, x, y, reach);
      light.addColorStop(0, css(pale, 0.42));
      light.addColorStop(0.4, css(pale, 0.24));
      light.addColorStop(1, css(pale, 0));
      context.fillStyle = light;
      context.fillRect(x - reach, y - reach, 2 * reach, 2 * reach);
    }
    context.fillStyle = shadow;
    context.beginPath();
    context.ellipse(0.02, 0.004, halfLength, 0.02, 0, 0, 2 * Math.PI);
    context.ellipse(0.02, 0.006, 0.78 * halfLength, 0.032, 0, 0, 2 * Math.PI);
    context.fill();
    if (!isWet) return;
    context.fillStyle = reflection;
    context.beginPath();
    context.ellipse(0.02, 0.09, 0.75 * halfLength, 0.08, 0, 0, 2 * Math.PI);
    context.fill();
  };
}
