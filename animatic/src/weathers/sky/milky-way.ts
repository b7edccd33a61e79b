import { createBackdrop } from '../../drawing/backdrop.ts';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fading, fillGlow } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates the Milky Way: a band of light across the sky, with dark clouds along its middle and many tiny stars. */
export function createMilkyWay(setting: Setting): Layer {
  const { stage, palette, dice, sun } = setting;
  // It is on the side away from the moon.
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const foot = { x: stage.width * (0.5 + side * dice.between(0.2, 0.36)), y: stage.horizon + 0.05 };
  const lean = -side * dice.between(0.45, 1);
  const length = (stage.horizon - stage.top + 0.2) * Math.hypot(1, lean);
  const bow = dice.between(-0.14, 0.14);
  const cold = mix(palette.glow, colour(0.8, 0.08, 262), 0.5);
  const warm = colour(0.85, 0.09, 50);
  const rose = colour(0.72, 0.11, 340);

  const draw = createBackdrop(setting, (context) => {
    context.translate(foot.x, foot.y);
    context.rotate(Math.atan2(lean, 1));
    // From here on, −y points up along the band.
    const spread = () => (dice.between(-1, 1) + dice.between(-1, 1) + dice.between(-1, 1)) / 3;
    const middleAt = (along: number) => bow * Math.sin(Math.PI * along);
    const paintBlob = (place: { x: number; y: number; radius: number }, tone: Colour, alpha: number) =>
      fillGlow(context, place, fading(tone, { 0: alpha, 0.5: alpha * 0.45, 1: 0 }));
    const paint = (
      count: number,
      width: number,
      [least, most]: readonly [number, number],
      alpha: number,
      toneOf: () => Colour,
    ) => {
      for (let blob = 0; blob < count; blob++) {
        const along = dice.between(0, 1);
        // The band is widest and brightest a third of the way up, at the centre of the galaxy.
        const bulge = 0.55 + 0.6 * Math.exp(-(((along - 0.38) / 0.28) ** 2));
        const x = middleAt(along) + width * bulge * spread();
        const radius = dice.between(least, most) * bulge;
        paintBlob({ x, y: -along * length, radius }, toneOf(), alpha * bulge * dice.between(0.4, 1));
      }
    };
    paint(170, 0.5, [0.08, 0.26], 0.085, () => (dice.chance(0.3) ? rose : cold));
    paint(280, 0.26, [0.02, 0.09], 0.13, () => mix(warm, cold, dice.between(0, 1)));
    // Thin branches of dark dust, beside the middle.
    const wander = dice.between(0, 6);
    for (let lane = 0; lane < 260; lane++) {
      const along = dice.between(0.1, 1);
      const aside =
        0.04 * Math.sin(6 * along + wander) +
        0.025 * Math.sin(17 * along + wander) +
        (lane % 2 === 0 ? 0.2 : 0.06) * spread();
      const alpha = 0.13 * Math.min(1, 3 * along);
      const place = { x: middleAt(along) + aside, y: -along * length, radius: dice.between(0.012, 0.045) };
      paintBlob(place, palette.skyTop, alpha);
    }
    for (let star = 0; star < 3000; star++) {
      const along = dice.between(0, 1);
      context.fillStyle = css(dice.chance(0.3) ? warm : palette.sun, dice.between(0.1, 1) ** 2);
      const size = dice.between(0.0011, 0.0023);
      context.fillRect(middleAt(along) + 0.6 * spread() * dice.between(0.2, 1.4), -along * length, size, size);
    }
  });
  return { depth: 0.005, draw };
}
