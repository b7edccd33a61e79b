import { createBackdrop } from '../../drawing/backdrop.ts';
import { type Colour, css, lighten, mix } from '../../drawing/colour.ts';
import { createFall } from '../../drawing/falling.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fraction } from '../../drawing/moment.ts';
import { drawAt, fading, linearGradient, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Rainfall {
  /** Units sideways per unit down. */
  slant: number;
  /** 1 is steady rain. */
  amount: number;
}

const sheets = [
  { depth: 0.24, perArea: 90, length: 0.045, width: 0.0017, speed: 1.3, alpha: 0.34 },
  { depth: 0.66, perArea: 46, length: 0.1, width: 0.0026, speed: 1.9, alpha: 0.42 },
  { depth: 1.4, perArea: 14, length: 0.21, width: 0.0042, speed: 2.7, alpha: 0.44 },
] as const;

/** Creates rain at three distances: fine far away, long and bright nearby. */
export function createRainfall(setting: Setting, { slant, amount }: Rainfall): Layer[] {
  const { stage } = setting;
  const tone = toneOf(setting);
  return sheets.map(({ depth, perArea, length, width, speed, alpha }): Layer => {
    const count = amount * perArea * (stage.right - stage.left) * (stage.bottom - stage.top);
    const fall = createFall(setting, { count, speed, slant, flutter: 0 });
    const streak = css(tone, alpha);
    return {
      depth,
      draw(context, moment) {
        stroke(context, streak, width, () => {
          fall.each(context, moment, ({ x, y, nature }) => {
            const tail = length * (0.55 + 0.45 * nature);
            context.moveTo(x, y);
            context.lineTo(x - slant * tail, y - tail);
          });
        });
      },
    };
  });
}

/** Creates rings where drops hit the ground, larger the nearer they are. */
export function createSplashes(setting: Setting, amount: number): Layer {
  const { stage, dice } = setting;
  const top = stage.horizon + 0.45 * (stage.height - stage.horizon);
  const splashes = Array.from({ length: Math.round(amount * 30 * stage.width) }, () => {
    const down = dice.between(0, 1);
    return {
      x: dice.between(stage.left, stage.right),
      y: top + down * (stage.height + 0.1 - top),
      reach: 0.006 + 0.012 * down,
      offset: dice.between(0, 1),
    };
  });
  const tone = css(toneOf(setting), 0.5);
  return {
    depth: 1.05,
    draw(context, moment) {
      stroke(context, tone, 0.0016, () => {
        const turn = moment.turn(1.6);
        for (const { x, y, reach, offset } of splashes) {
          // Each ring is visible for a short part of its cycle: it opens, and a drop jumps up in it.
          const open = fraction(turn + offset) * 3;
          if (open >= 1) continue;
          const width = reach * (0.3 + 0.7 * open);
          context.moveTo(x + width, y);
          context.ellipse(x, y, width, width * 0.3, 0, 0, 2 * Math.PI);
          const hop = reach * 2.4 * open * (1 - open);
          context.moveTo(x, y - hop);
          context.lineTo(x, y - hop - 0.4 * reach * (1 - open));
        }
      });
    },
  };
}

/** Creates distant rain, as grey veils that hang from the clouds. */
export function createRainVeils(setting: Setting, { slant, amount }: Rainfall): Layer {
  const { stage, palette, dice } = setting;
  const tone = mix(palette.skyMiddle, palette.skyTop, 0.5);
  const backdrop = createBackdrop(setting, (context) => {
    const count = Math.round(5 * stage.width);
    for (let veil = 0; veil < count; veil++) {
      const width = dice.between(0.08, 0.24);
      drawAt(context, { x: dice.between(stage.left, stage.right), y: stage.horizon }, () => {
        context.transform(1, 0, -slant, 1, 0, 0);
        const stops = fading(tone, { 0: 0, 0.5: 0.24 * amount, 1: 0 });
        context.fillStyle = linearGradient(context, [-width, 0, width, 0], stops);
        context.fillRect(-width, -stage.horizon - 0.5, 2 * width, stage.horizon + 0.6);
      });
    }
  });
  return {
    depth: 0.045,
    draw(context, moment) {
      context.translate(0.03 * moment.wave(0.15), 0);
      backdrop(context);
    },
  };
}

function toneOf({ palette }: Setting): Colour {
  return lighten(mix(palette.haze, palette.sun, palette.isNight ? 0.4 : 0.6), 0.1);
}
