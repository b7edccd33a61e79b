import { createCanvas } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { ease } from '../../drawing/ease.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Harmony } from './harmony.ts';

/** The number of steps per turn in the lookup tables. */
const turnSteps = 1024;
const sines = Float32Array.from({ length: turnSteps }, (_, step) => Math.sin((2 * Math.PI * step) / turnSteps));
/** The light on a fold in cross-section: it rises softly to its gloss and falls off into a crease. */
const folds = Float32Array.from({ length: turnSteps }, (_, step) => foldLight(step / turnSteps));
/** The distance between computed points, in units. Folds are soft, so few points are enough; edges are drawn sharp. */
const texel = 1 / 90;
/** Steps per texel in the table of the fall-off from an edge, because edges are between texels. */
const finer = 8;

/** Creates sheets of silk that lie over one another and move slowly. */
export function createSilk(setting: Setting, harmony: Harmony): { layers: Layer[]; edgeAt: (x: number) => number } {
  const { stage, dice } = setting;
  const count = stage.height > stage.width ? 6 : 4;
  const first = stage.height * dice.between(0.2, 0.3);
  const tilt = dice.sign() * dice.between(0.1, 0.24);
  const edges = Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    const base = first + (stage.height * 0.9 - first) * share ** 1.1;
    return createEdge(dice, { base, tilt: tilt * (1 - 1.5 * share), middle: stage.width / 2 });
  });
  const layers = edges.map((edge, index) =>
    createSheet(setting, harmony, { edge, next: edges[index + 1], share: index / (count - 1) }),
  );
  const last = edges.at(-1);
  return { layers, edgeAt: (x) => last?.(x, null) ?? stage.horizon };
}

type Edge = (x: number, moment: Moment | null) => number;

function createEdge(dice: Dice, { base, tilt, middle }: { base: number; tilt: number; middle: number }): Edge {
  const long = { pace: (2 * Math.PI) / dice.between(1.7, 2.5), offset: dice.between(0, 7), lag: dice.between(0, 1) };
  const short = { pace: (2 * Math.PI) / dice.between(0.9, 1.3), offset: dice.between(0, 7), lag: dice.between(0, 1) };
  return (x, moment) =>
    base +
    tilt * (x - middle) +
    0.085 * Math.sin(long.pace * x + long.offset + (moment?.wave(0.12, long.lag) ?? 0)) +
    0.028 * Math.sin(short.pace * x + short.offset + (moment?.wave(0.12, short.lag) ?? 0));
}

interface Sheet {
  edge: Edge;
  /** The edge of the sheet above this one, which casts a shadow on it. */
  next: Edge | undefined;
  /** From 0, the farthest sheet, to 1, the nearest. */
  share: number;
}

function createSheet({ stage, dice }: Setting, harmony: Harmony, { edge, next, share }: Sheet): Layer {
  const columns = Math.ceil((stage.right - stage.left) / texel) + 1;
  const xs = Array.from({ length: columns }, (_, column) => stage.left + column * texel);
  const slant = dice.sign() * dice.between(0.25, 0.6);
  const perUnit = dice.between(2.2, 3.4);
  const curl = {
    along: dice.between(0.5, 0.9),
    down: dice.between(1.2, 2.4),
    strength: dice.between(0.16, 0.26),
    offset: dice.between(0, 1),
  };
  // Far sheets are brighter, because the light is behind everything.
  const from = 0.9 - 0.62 * share;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (const x of xs) {
    top = Math.min(top, edge(x, null) - 0.12);
    bottom = Math.max(bottom, (next?.(x, null) ?? stage.bottom) + 0.2);
  }
  const rows = Math.ceil((bottom - top) / texel);
  const canvas = createCanvas(columns, rows);
  const painter = canvas.getContext('2d');
  const image = painter.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const rims = fallingOff(rows * finer, { strength: 0.75, reach: (0.018 / texel) * finer });
  const shades = fallingOff(rows * finer, { strength: 0.95, reach: (0.05 / texel) * finer });

  return {
    depth: 0.2 + 0.7 * share,
    draw(context, moment) {
      const edges = xs.map((x) => edge(x, moment));
      const sway = 0.1 * moment.wave(0.12, share);
      const drift = 0.14 * moment.wave(0.12, share + 0.3);
      for (const [column, x] of xs.entries()) {
        const edgeRow = ((edges[column] ?? 0) - top) / texel;
        const nextRow = next ? (next(x, moment) - top) / texel : rows * 2;
        const end = Math.min(rows, Math.ceil(nextRow + 0.14 / texel));
        for (let row = Math.max(0, Math.floor(edgeRow) - 4); row < end; row++) {
          const down = (row - edgeRow) * texel;
          const curled =
            curl.strength *
            (sines[((curl.along * x + curl.down * down + curl.offset + drift) * turnSteps) & (turnSteps - 1)] ?? 0);
          const turn = slant * x + perUnit * down + curled * 2.2 + sway;
          const light = folds[(turn * turnSteps) & (turnSteps - 1)] ?? 0;
          const rim = rims[Math.max(0, (row - edgeRow) * finer) | 0] ?? 0;
          const shade = row < nextRow ? (shades[((nextRow - row) * finer) | 0] ?? 0) : 1;
          pixels[row * columns + column] = harmony.pixel(from - 0.55 * down + 0.13 * light, 0.8 * light + rim - shade);
        }
      }
      painter.putImageData(image, 0, 0);
      context.beginPath();
      context.moveTo(stage.left, stage.bottom + 0.4);
      for (let column = 0; column < columns; column += 2) context.lineTo(xs[column] ?? 0, edges[column] ?? 0);
      context.lineTo(stage.right, edges.at(-1) ?? 0);
      context.lineTo(stage.right, stage.bottom + 0.4);
      context.clip();
      context.drawImage(canvas, stage.left, top, columns * texel, rows * texel);
    },
  };
}

function foldLight(turn: number): number {
  const rise = turn < 0.68 ? turn / 0.68 : (1 - turn) / 0.32;
  return 1.25 * ease(rise) ** 1.6 - 0.6;
}

function fallingOff(length: number, { strength, reach }: { strength: number; reach: number }): Float32Array {
  return Float32Array.from({ length }, (_, step) => strength * Math.exp(-step / reach));
}
