import type { SKRSContext2D } from '@napi-rs/canvas';
import { createBackdrop } from './backdrop.ts';
import { css, lighten, mix } from './colour.ts';
import { createStars } from './create-stars.ts';
import type { Layer } from './layer.ts';
import { createMoon } from './moon.ts';
import { disc, drawAt, fill, fillRect, linearGradient, radialGradient } from './paint.ts';
import type { Setting } from './setting.ts';

/** Creates the sky behind every scene on earth: a gradient, the sun or the moon in its glow, and stars at night. */
export function createSky(setting: Setting): Layer[] {
  const { palette } = setting;
  const backdrop = createBackdrop(setting, (context) => {
    paintGradient(context, setting);
    paintHorizonGlow(context, setting);
    paintHalo(context, setting);
  });
  const layers: Layer[] = [{ depth: 0, draw: backdrop }];
  // Clouds hide the stars before they hide the moon.
  const clearness = palette.sunStrength ** 2;
  if (palette.isNight && clearness > 0.1) layers.push(createStars(setting, { perArea: 130, strength: clearness }));
  // An overcast sky hides the disc.
  if (palette.sunStrength > 0.26) layers.push(palette.isNight ? createMoon(setting) : createSunDisc(setting));
  return layers;
}

function paintGradient(context: SKRSContext2D, { stage, palette }: Setting): void {
  context.fillStyle = linearGradient(context, [0, Math.min(-0.1, stage.horizon - 1), 0, stage.horizon + 0.08], {
    0: palette.skyTop,
    0.28: mix(palette.skyTop, palette.skyMiddle, 0.6),
    0.5: palette.skyMiddle,
    0.8: mix(palette.skyMiddle, palette.skyLow, 0.55),
    1: palette.skyLow,
  });
  context.fillRect(stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
  // Light gathers where the sky meets the ground.
  context.fillStyle = linearGradient(context, [0, stage.horizon - 0.35, 0, stage.horizon + 0.05], {
    0: css(palette.skyLow, 0),
    1: css(mix(palette.skyLow, palette.glow, 0.5), 0.55),
  });
  context.fillRect(stage.left, stage.horizon - 0.35, stage.right - stage.left, 0.5);
}

/** Paints the wide, brighter horizon below the sun, where the air is thick. */
function paintHorizonGlow(context: SKRSContext2D, { stage, palette, sun }: Setting): void {
  const height = stage.horizon - sun.y;
  const isLow = height < 0.25;
  const strength = palette.sunStrength * (palette.isNight ? 0.22 : isLow ? 0.75 : 0.3);
  paintEllipse(context, { x: sun.x, y: stage.horizon - 0.02, width: 1.05, height: 0.34 }, (alpha) =>
    css(mix(palette.glow, palette.skyLow, 0.25), alpha * strength),
  );
}

/** Paints a wide, weak light around the sun, and a narrow, strong one. */
function paintHalo(context: SKRSContext2D, { palette, sun }: Setting): void {
  const { isNight, sunStrength, glow } = palette;
  const wide = sun.radius * (isNight ? 7 : 12);
  const near = sun.radius * (isNight ? 2.6 : 3.4);
  paintEllipse(context, { x: sun.x, y: sun.y, width: wide, height: wide }, (alpha) =>
    css(glow, alpha * sunStrength * (isNight ? 0.3 : 0.62)),
  );
  paintEllipse(context, { x: sun.x, y: sun.y, width: near, height: near }, (alpha) =>
    css(lighten(mix(glow, palette.sun, 0.6), 0.04), alpha * sunStrength * (isNight ? 0.3 : 0.75)),
  );
}

interface Ellipse {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Paints light that falls off without an edge. It needs many stops along a curve, because two would show a ring. */
function paintEllipse(
  context: SKRSContext2D,
  { x, y, width, height }: Ellipse,
  toneAt: (alpha: number) => string,
): void {
  drawAt(context, { x, y }, () => {
    context.scale(width, height);
    const light = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    const stops = 8;
    for (let stop = 0; stop <= stops; stop++) light.addColorStop(stop / stops, toneAt((1 - stop / stops) ** 2.4));
    fillRect(context, light, -1, -1, 2, 2);
  });
}

/** Creates the sun's disc: lighter in the middle than at the rim. */
function createSunDisc({ palette, sun }: Setting): Layer {
  const strength = Math.min(1, 1.2 * palette.sunStrength);
  const rim = css(palette.sun, strength);
  const core = css(lighten(palette.sun, 0.05), strength);
  return {
    depth: 0.02,
    draw(context) {
      const light = radialGradient(context, [sun.x, sun.y, 0, sun.x, sun.y, sun.radius], { 0.35: core, 1: rim });
      fill(context, light, disc(sun.x, sun.y, sun.radius));
    },
  };
}
