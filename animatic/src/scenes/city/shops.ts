import { Path2D } from '@napi-rs/canvas';
import type { Plot } from '../../drawing/building-sketch.ts';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Paint } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const height = 0.05;

/** Creates shops at the foot of houses: windows that light the pavement in the evening, under striped awnings. */
export function createShops(plots: readonly Plot[], { palette, dice }: Setting): Paint {
  const colours = [palette.accent, palette.lit(colour(0.6, 0.1, 165)), palette.lit(colour(0.62, 0.13, 35))];
  const awnings = colours.map(() => new Path2D());
  const stripes = new Path2D();
  const front = new Path2D();
  const open = new Path2D();
  const shut = new Path2D();
  for (const { left, width, foot } of plots) {
    const floor = foot - 0.012;
    front.rect(left, floor - height * 1.15, width, height * 1.2);
    const shopCount = Math.max(1, Math.round(width / 0.09));
    for (let shop = 0; shop < shopCount; shop++) {
      const shopWidth = (width / shopCount) * 0.82;
      const x = left + ((shop + 0.5) * width) / shopCount - shopWidth / 2;
      const isOpen = palette.isDay || dice.chance(0.62);
      const panes = isOpen ? open : shut;
      panes.rect(x + shopWidth * 0.04, floor - height * 0.78, shopWidth * 0.6, height * 0.6);
      shut.rect(x + shopWidth * 0.72, floor - height * 0.78, shopWidth * 0.2, height * 0.78);
      if (dice.chance(0.3)) continue;
      awnings[Math.floor(dice.between(0, awnings.length))]?.rect(x, floor - height, shopWidth, height * 0.34);
      const count = 7;
      for (let stripe = 1; stripe < count; stripe += 2)
        stripes.rect(x + (shopWidth * stripe) / count, floor - height, shopWidth / count, height * 0.34);
    }
  }
  const cream = palette.lit(colour(0.93, 0.03, 90));
  const glass = palette.isDay
    ? css(mix(palette.skyTop, palette.ink, 0.5), 0.75)
    : css(mix(palette.lamp, colour(0.75, 0.14, 55), 0.25), 0.85);
  const air = 0.8;
  return (context) => {
    fill(context, css(mix(palette.ink, palette.haze, 0.3), 0.55), front);
    fill(context, glass, open);
    fill(context, css(mix(palette.skyTop, palette.ink, 0.6), 0.75), shut);
    for (const [index, path] of awnings.entries()) fill(context, palette.far(colours[index] ?? cream, air), path);
    fill(context, palette.far(cream, air), stripes);
  };
}
