import { Path2D } from '@napi-rs/canvas';
import type { Plot } from '../../drawing/building-sketch.ts';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Row } from './skyline-row.ts';

/** The number of groups of windows whose lights go on and off. */
const switches = 3;

/** Creates windows: dim glass by day; at night many are lit, and now and then one goes on or off. */
export function createWindows(
  facades: readonly Plot[],
  { windowPitch, depth, character }: Row,
  { palette, dice }: Setting,
): Draw {
  if (windowPitch === 0) return () => undefined;
  const glass = new Path2D();
  const lit = [new Path2D(), new Path2D()];
  const switched = Array.from({ length: switches }, () => new Path2D());
  const litShare = palette.isDay ? 0 : (palette.isNight ? 0.4 : 0.26) * (character === 'modern' ? 1 : 1.4);
  for (const { left, width, top, foot } of facades) {
    const columns = Math.max(1, Math.floor((width - windowPitch * 0.4) / windowPitch));
    const rows = Math.floor((foot - top - windowPitch * 0.5) / (windowPitch * 1.35));
    const pitch = width / (columns + 0.5);
    const paneWidth = pitch * (character === 'modern' ? dice.pick([0.5, 0.6, 0.8]) : 0.46);
    const paneHeight = windowPitch * (character === 'modern' ? dice.pick([0.5, 0.6, 0.95]) : 0.78);
    // Buildings have different shares of lit windows, because offices empty at different times.
    const share = litShare * dice.between(0.25, 1.6);
    for (let row = 0; row < rows; row++) {
      const y = top + windowPitch * (0.55 + 1.35 * row);
      for (let column = 0; column < columns; column++) {
        const x = left + pitch * (column + 0.75) - paneWidth / 2;
        const isLit = dice.chance(share);
        const path = isLit
          ? dice.chance(0.04)
            ? switched[Math.floor(dice.between(0, switches))]
            : lit[dice.chance(0.7) ? 0 : 1]
          : glass;
        if (isLit || dice.chance(0.75)) path?.rect(x, y, paneWidth, paneHeight);
      }
    }
  }
  const air = Math.min(1, 0.35 + depth);
  const warm = [
    css(mix(palette.lamp, palette.haze, 0.25 * (1 - depth)), 0.92 * air),
    css(mix(palette.lamp, colour(0.75, 0.14, 55), 0.6), 0.6 * air),
  ];
  const glassColour = palette.isDay
    ? css(mix(palette.skyTop, palette.ink, 0.25), 0.3 * air)
    : css(mix(palette.ink, palette.skyTop, 0.3), 0.35 * air);
  return (context, moment) => {
    fill(context, glassColour, glass);
    if (litShare === 0) return;
    for (const [index, path] of lit.entries()) fill(context, warm[index] ?? '', path);
    for (const [index, path] of switched.entries()) {
      const isOn = moment.turn(0.2, index / switches) < 0.6;
      fill(context, isOn ? (warm[0] ?? '') : glassColour, path);
    }
  };
}
