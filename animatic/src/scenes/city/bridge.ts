import { Path2D } from '@napi-rs/canvas';
import { addLine } from '../../drawing/building-sketch.ts';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { addDisc, fill, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { CityCharacter } from './skyline-row.ts';

interface Bridge {
  depth: number;
  /** The y of the water that it crosses. */
  water: number;
  character: CityCharacter;
}

/** Creates a distant bridge from the sun's side: cables in a modern city, stone arches in an old one. */
export function createBridge(setting: Setting, { depth, water, character }: Bridge): Layer {
  const { stage, palette, sun } = setting;
  const isFromRight = sun.x > stage.width / 2;
  const outer = isFromRight ? stage.right : stage.left;
  const inner = stage.width * (isFromRight ? 0.36 : 0.64);
  const deck = water - 0.045;
  const solid = new Path2D();
  const cables = new Path2D();
  const lights = new Path2D();
  const from = Math.min(outer, inner);
  const to = Math.max(outer, inner);
  solid.rect(from, deck, to - from, 0.012);
  if (character === 'modern') addCables(cables, solid, { from, to, deck, water });
  else addArches(solid, { from, to, deck, water });
  for (let x = from + 0.04; x < to; x += 0.09) addDisc(lights, x, deck - 0.008, 0.0035);
  const tone = palette.far(
    mix(palette.lit(character === 'modern' ? colour(0.5, 0.12, 32) : colour(0.66, 0.05, 70)), palette.ink, 0.3),
    0.72,
  );
  return {
    depth,
    draw(context) {
      fill(context, tone, solid);
      stroke(context, tone, 0.0028, cables);
      if (palette.isDay) return;
      fill(context, css(palette.lamp, 0.9), lights);
    },
  };
}

interface Crossing {
  from: number;
  to: number;
  deck: number;
  water: number;
}

function addCables(cables: Path2D, solid: Path2D, { from, to, deck, water }: Crossing): void {
  const pylons = [from + (to - from) * 0.26, from + (to - from) * 0.74];
  const height = 0.17;
  for (const x of pylons) {
    for (const leg of [-0.014, 0.008]) solid.rect(x + leg, deck - height, 0.006, water - deck + height + 0.006);
    solid.rect(x - 0.017, deck - height, 0.034, 0.007);
    solid.rect(x - 0.014, deck - height * 0.55, 0.028, 0.006);
    solid.rect(x - 0.022, water - 0.008, 0.044, 0.014);
  }
  const [left = from, right = to] = pylons;
  const span = right - left;
  const sagAt = (x: number) => {
    const along = Math.abs((((((x - left) / span) % 1) + 1) % 1) - 0.5) * 2;
    return deck - 0.012 - (height - 0.014) * along ** 2;
  };
  cables.moveTo(from, sagAt(from));
  for (let x = from; x <= to; x += span / 24) {
    cables.lineTo(x, sagAt(x));
  }
  for (let x = left - span / 2; x < to; x += span / 16) if (x > from) addLine(cables, x, sagAt(x), x, deck);
}

function addArches(solid: Path2D, { from, to, deck, water }: Crossing): void {
  const count = Math.max(4, Math.round((to - from) / 0.17));
  const span = (to - from) / count;
  for (let arch = 0; arch < count; arch++) {
    const left = from + arch * span;
    solid.moveTo(left, deck);
    solid.lineTo(left + span, deck);
    solid.lineTo(left + span, water + 0.008);
    solid.lineTo(left + span * 0.88, water + 0.008);
    solid.bezierCurveTo(
      left + span * 0.86,
      deck + 0.01,
      left + span * 0.14,
      deck + 0.01,
      left + span * 0.12,
      water + 0.008,
    );
    solid.lineTo(left, water + 0.008);
    solid.closePath();
  }
}
