import { css, mix } from './colour.ts';
import type { Draw } from './layer.ts';
import { addLens, fill } from './paint.ts';
import type { Setting } from './setting.ts';

/** Creates the glints of the sun or the moon on one band of water: a column below it, broken by the waves. */
export function createGlitter(
  { palette, dice, sun }: Setting,
  { top, gap, near }: { top: number; gap: number; near: number },
): Draw {
  if (palette.sunStrength < 0.3) return () => undefined;
  const rows = Math.max(1, Math.min(4, Math.round(gap / 0.01)));
  // A high sun glitters a little everywhere, a low one in a narrow path.
  const spread = (palette.isDay ? 2.2 : 1) * (0.7 * sun.radius + 0.085 * near);
  const glints = Array.from({ length: rows * (palette.isDay ? 4 : 3) }, (_, index) => {
    const aside = (dice.between(-1, 1) + dice.between(-1, 1)) * 0.6;
    const isMiddle = index % 3 === 0;
    return {
      x: sun.x + spread * (isMiddle ? 0.35 * aside : aside),
      y: top + gap * (((index % rows) + dice.between(0.2, 0.8)) / rows),
      half:
        (0.017 + 0.055 * near) *
        (isMiddle ? 1.6 : 1) *
        dice.between(0.4, 1.1) *
        (1 - 0.5 * Math.min(1, Math.abs(aside))),
      thick: Math.min(0.007, 0.001 + 0.06 * gap) * dice.between(0.7, 1.2),
      speed: dice.between(0.5, 1.1),
      beat: dice.between(0, 1),
    };
  });
  const tone = css(
    mix(palette.sun, palette.glow, 0.15 + 0.3 * Math.min(1, near)),
    (palette.isDay ? 0.75 : 0.92) * palette.sunStrength,
  );
  return (context, moment) => {
    fill(context, tone, () => {
      for (const { x, y, half, thick, speed, beat } of glints) {
        const shine = 0.55 + 0.45 * moment.wave(speed, beat);
        if (shine < 0.16) continue;
        addLens(context, x + 0.2 * half * moment.wave(0.3, beat), y, half * shine, thick * (0.4 + 0.6 * shine));
      }
    });
  };
}
