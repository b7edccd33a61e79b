import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, linearGradient, radialGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Stage } from '../../drawing/stage.ts';

interface Ceiling {
  /** 0..1. */
  darkness: number;
  /** The lower edge of the farthest clouds, as a fraction of the way from the top of the frame to the horizon. */
  lowest: number;
  /** Light within the clouds, such as lightning: its place, and its strength, 0..1. */
  flash?: { x: number; strengthAt(moment: Moment): number } | undefined;
}

const rows = [
  { depth: 0.05, drop: 1, size: 0.6, shade: 0.35 },
  { depth: 0.08, drop: 0.66, size: 0.85, shade: 0.65 },
  { depth: 0.11, drop: 0.3, size: 1.15, shade: 1 },
] as const;

/** Creates an overcast sky from below: rows of hanging lumps, lower with distance, each dark at its edge. */
export function createCloudCeiling(setting: Setting, { darkness, lowest, flash }: Ceiling): Layer[] {
  const { stage, palette, dice } = setting;
  return rows.map(({ depth, drop, size, shade }, index): Layer => {
    const edge = stage.horizon * lowest * drop;
    // A row ends where the next one hides it, because filling is expensive.
    const next = rows[index + 1];
    const top = next ? stage.horizon * lowest * next.drop - 0.16 * next.size : stage.top - 0.3;
    const bellies = createBellies(dice, stage, { top, edge, size });
    const air = mix(palette.skyMiddle, palette.skyLow, 0.5 * (1 - shade));
    const dark = lighten(
      mix(air, palette.skyTop, 0.35),
      -(0.03 + 0.36 * darkness) * (0.35 + 0.65 * shade) * (palette.isNight ? 0.4 : 1),
    );
    const light = lighten(air, -0.12 * darkness * shade);
    const offset = dice.between(0, 1);
    const reach = 0.3 * size;
    const flare = colour(0.86, 0.07, 285);
    return {
      depth,
      draw(context, moment) {
        context.translate(0.035 * size * moment.wave(0.12, offset), 0.01 * moment.wave(0.2, offset + 0.3));
        context.fillStyle = linearGradient(context, [0, edge - reach, 0, edge + 0.08 * size], { 0: light, 1: dark });
        context.fill(bellies);
        const strength = flash?.strengthAt(moment) ?? 0;
        if (flash && strength > 0.01)
          fillFlash(
            context,
            bellies,
            { x: flash.x, y: edge, reach: 0.95 },
            css(flare, 0.8 * strength * (1.1 - 0.6 * shade)),
            css(flare, 0),
          );
      },
    };
  });
}

function fillFlash(
  context: SKRSContext2D,
  path: Path2D,
  { x, y, reach }: { x: number; y: number; reach: number },
  bright: string,
  none: string,
): void {
  fill(context, radialGradient(context, [x, y, 0, x, y, reach], { 0: bright, 1: none }), path);
}

/** Creates the shape above an edge of hanging lumps: long sags with smaller lumps on them. */
function createBellies(
  dice: Dice,
  stage: Stage,
  { top, edge, size }: { top: number; edge: number; size: number },
): Path2D {
  const path = new Path2D();
  const left = stage.left - 0.3;
  const right = stage.right + 0.3;
  const sag = createNoise(dice, { period: 2.2 * size, octaves: 2 });
  const edgeAt = (x: number) => edge + 0.11 * size * sag(x);
  for (let x = left; x < right; ) {
    const width = dice.between(0.04, 0.19) * size;
    const height = width * dice.between(0.42, 0.7);
    const y = edgeAt(x) - 0.35 * height;
    path.moveTo(x + width, y);
    path.ellipse(x, y, width, height, 0, 0, 2 * Math.PI);
    x += width * dice.between(0.7, 1.25);
  }
  path.moveTo(left - 0.2, top);
  path.lineTo(right + 0.2, top);
  for (let x = right + 0.2; x > left - 0.2; x -= 0.02) path.lineTo(x, edgeAt(x));
  path.closePath();
  return path;
}
