import { css } from '../drawing/colour.ts';
import { createStars } from '../drawing/create-stars.ts';
import type { Layer } from '../drawing/layer.ts';
import { fraction } from '../drawing/moment.ts';
import { addLineThrough, linearGradient, stroke } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { createMilkyWay } from './sky/milky-way.ts';
import type { Weather } from './weather.ts';

/** A night sky far from any city: the Milky Way, many stars, and a shooting star. */
export const stars: Weather = {
  light: { cover: 0, haze: 0, dim: 0 },
  create(setting) {
    const { storyboard, palette } = setting;
    // Space has stars of its own.
    if (storyboard.scene === 'space') return [createShootingStar(setting)];
    const strength = palette.isNight ? 1 : palette.isDay ? 0.2 : 0.75;
    return [
      // The Milky Way is too faint for twilight.
      ...(palette.isNight ? [createMilkyWay(setting)] : []),
      createStars(setting, { perArea: 170, strength }),
      createShootingStar(setting),
    ];
  },
};

const lifetime = 0.9;

/** Creates a shooting star: a short, brief line of light, once per video. */
function createShootingStar({ stage, palette, dice, seconds }: Setting): Layer {
  const at = dice.between(0.15, 0.7);
  const side = dice.sign();
  const start = { x: stage.width * (0.5 - side * dice.between(0, 0.3)), y: stage.horizon * dice.between(0.08, 0.3) };
  const steepness = dice.between(0.25, 0.6);
  const bright = css(palette.sun);
  const none = css(palette.sun, 0);
  return {
    depth: 0.03,
    draw(context, { phase }) {
      const age = (fraction(phase - at) * seconds) / lifetime;
      if (age >= 1) return;
      const head = 0.55 * age ** 0.8;
      const tail = Math.max(0, head - 0.26 * Math.sin(Math.PI * age));
      const point = (way: number) => ({ x: start.x + side * way, y: start.y + steepness * way });
      const [from, to] = [point(tail), point(head)];
      const light = linearGradient(context, [from.x, from.y, to.x, to.y], { 0: none, 1: bright });
      context.globalAlpha = Math.sin(Math.PI * age);
      context.lineCap = 'round';
      stroke(context, light, 0.0034, () => addLineThrough(context, [from, to]));
    },
  };
}
