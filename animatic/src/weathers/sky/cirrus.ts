import { createBackdrop } from '../../drawing/backdrop.ts';
import { mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fading, fillGlow } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates high ice clouds: tufts of long, soft hairs that all point in one direction. `strength` is 0..1. */
export function createCirrus(setting: Setting, strength: number): Layer {
  const { stage, palette, dice } = setting;
  const tone = palette.isNight
    ? mix(palette.skyLow, palette.glow, 0.35)
    : mix(palette.sun, palette.glow, palette.isDay ? 0.3 : 0.7);
  const direction = dice.sign() * dice.between(0.08, 0.3);
  const backdrop = createBackdrop(setting, (context) => {
    const tufts = Math.round(3 + 1.5 * stage.width);
    for (let tuft = 0; tuft < tufts; tuft++) {
      const x = stage.left + ((stage.right - stage.left) * (tuft + dice.between(0, 1))) / tufts;
      const y = stage.horizon * dice.between(0.04, 0.62);
      // Higher tufts are nearer, and so larger.
      const size = 1.15 - 0.9 * (y / stage.horizon);
      const hairs = 16;
      for (let hair = 0; hair < hairs; hair++) {
        const along = hair / hairs - 0.5;
        context.save();
        context.translate(
          x + size * (0.5 * along + dice.between(-0.1, 0.1)),
          y + size * dice.between(-0.06, 0.06) - 0.12 * size * along,
        );
        context.rotate(direction + dice.between(-0.07, 0.07) - 0.3 * along);
        context.scale(size * dice.between(0.18, 0.48), size * dice.between(0.004, 0.013));
        const dense = 0.34 * strength * dice.between(0.5, 1);
        fillGlow(context, { x: 0, y: 0, radius: 1 }, fading(tone, { 0: dense, 0.5: 0.12 * strength, 1: 0 }));
        context.restore();
      }
    }
  });
  return {
    depth: 0.03,
    draw(context, moment) {
      context.translate(0.012 * moment.wave(0.1), 0);
      backdrop(context);
    },
  };
}
