import { css, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { addDisc, addLens, fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { foamTone } from './foam-tone.ts';

interface Place {
  /** Where the wave meets the rock. */
  x: number;
  y: number;
  /** How high the spray flies. */
  height: number;
  /** 1 if the wave comes from the left, −1 if it comes from the right. */
  lean: number;
  /** Where in the cycle it starts, 0..1. */
  beat: number;
}

const burstsPerSecond = 0.3;
/** The share of a cycle in which the wave comes in; then it bursts, and the spray falls back. */
const coming = 0.34;

/** Creates a wave that comes in, bursts on a rock and falls back as spray and foam, again and again. */
export function createBurst({ palette, dice }: Setting, { x, y, height, lean, beat }: Place): Draw {
  const white = foamTone(palette);
  const shaded = mix(white, mix(palette.water, palette.skyMiddle, 0.5), 0.35);
  const mist = mix(white, palette.skyLow, 0.4);
  const crest = css(mix(white, palette.water, 0.1), 0.9);
  const swell = css(mix(palette.water, palette.skyMiddle, 0.25), 0.55);
  const jetCount = 13;
  const jets = Array.from({ length: jetCount }, (_, index) => {
    const fan = index / (jetCount - 1) - 0.5;
    return {
      // The middle flies highest, and everything leans with the wave.
      speed: (1 - 2.2 * fan * fan) * dice.between(index % 2 === 0 ? 0.85 : 0.5, index % 2 === 0 ? 1.1 : 0.75),
      aside: 1.25 * fan + 0.14 * lean + dice.between(-0.03, 0.03),
      size: dice.between(0.1, 0.15),
      delay: 0.05 * Math.abs(fan) + dice.between(0, 0.03),
    };
  });
  const drops = Array.from({ length: 60 }, () => ({
    speed: dice.between(0.5, 1.35),
    aside: dice.between(-0.75, 0.75) + 0.2 * lean,
    size: dice.between(0.0015, 0.0045),
    delay: dice.between(0, 0.16),
  }));
  return (context, moment) => {
    const turn = moment.turn(burstsPerSecond, beat);
    if (turn < coming) {
      // The crest rises while it comes nearer.
      const near = turn / coming;
      const at = x - lean * 0.9 * height * (1 - near);
      const rise = 0.22 * height * near;
      fill(context, swell, () => addLens(context, at, y + 0.004, 0.75 * height, 0.6 * rise));
      fill(context, crest, () => {
        addLens(context, at + lean * 0.1 * height, y + 0.003 - 0.42 * rise, 0.5 * height * near, 0.16 * rise);
      });
    }
    // The last burst still falls back while the next wave comes in.
    const age = turn < coming ? turn + 1 - coming : turn - coming;
    const flown = (delay: number) => Math.max(0, (age - delay) / 0.62);
    const heightAt = (speed: number, along: number) => height * speed * 4 * along * (1 - along);
    // The jets are white on the side of the light, and thin out while they fall.
    const strength = Math.min(1, Math.max(0, 2.4 - 3 * flown(0)));
    for (const [tone, larger, aside] of [
      [mist, 2, 0],
      [shaded, 1.12, 0.16],
      [white, 0.92, 0],
    ] as const) {
      fill(context, css(tone, strength * (tone === mist ? 0.16 : 0.95)), () => {
        for (const jet of jets) {
          const along = flown(jet.delay);
          if (along <= 0 || along >= 1) continue;
          // A jet is a row of discs from its tip down, ever larger, so that neighbours join at the foot.
          for (const back of tone === mist ? [0.12] : [0, 0.05, 0.1, 0.16, 0.22, 0.29]) {
            const earlier = along - back;
            if (earlier <= 0) continue;
            const radius = larger * height * jet.size * (0.34 + 1.9 * back) * (1.15 - 0.75 * along);
            const discX = x + height * jet.aside * earlier + aside * lean * radius;
            if (radius > 0) addDisc(context, discX, y - heightAt(jet.speed, earlier), radius);
          }
        }
      });
    }
    fill(context, css(white, 0.9), () => {
      for (const { speed, aside, size, delay } of drops) {
        const along = flown(delay);
        if (along <= 0 || along >= 1) continue;
        addDisc(context, x + 1.3 * height * aside * along, y - heightAt(speed, along), size * (1 - 0.4 * along));
      }
    });
    // Foam spreads on the water and dissolves.
    const spread = Math.sin(Math.PI * Math.min(1, age));
    fill(context, css(white, 0.75 * spread), () => {
      addLens(context, x, y + 0.008, height * (0.35 + 0.9 * age), 0.05 * height * spread);
      addLens(context, x - lean * 0.3 * height * age, y + 0.026, height * (0.2 + 0.8 * age), 0.02 * height * spread);
    });
  };
}
