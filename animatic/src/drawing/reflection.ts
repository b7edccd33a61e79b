import type { Draw } from './layer.ts';
import { addLens, fill, type Point } from './paint.ts';

/** A flat thing above the water line (y = 0): an outline with straight edges, and its colour in the water. */
export interface Mirrored {
  outline: readonly Point[];
  tone: string;
}

interface Options {
  /** How far the reflection reaches below the water line. */
  depth: number;
  rows: number;
  /** How many units of the thing one unit of water mirrors; above 1 the reflection is shorter than the thing. */
  squash: number;
  /** How far the strips at the lower end move sideways. */
  wobble: number;
}

interface Strip {
  y: number;
  from: number;
  to: number;
  along: number;
}

/** Creates the reflection of things in water: upside down, in strips that separate and sway more the lower they are. */
export function createReflection(things: readonly Mirrored[], { depth, rows, squash, wobble }: Options): Draw {
  const gap = depth / rows;
  const drawn = things.map(({ outline, tone }) => ({
    tone,
    strips: Array.from({ length: rows }, (_, row) => {
      const y = (row + 0.5) * gap;
      return spansAt(outline, -y * squash).map(([from, to]): Strip => ({ y, from, to, along: row / rows }));
    }).flat(),
  }));
  return (context, moment) => {
    for (const { tone, strips } of drawn) {
      fill(context, tone, () => {
        for (const { y, from, to, along } of strips) {
          const aside =
            wobble * (0.25 + along) * moment.wave(0.55, 2.2 * along) +
            0.5 * wobble * along * moment.wave(0.8, 5.3 * along);
          const fade = 1 - 0.55 * along + 0.2 * along * moment.wave(0.7, 3.7 * along);
          // The strips differ in width, because equal ones would look like beads.
          const own = 0.86 + 0.22 * Math.sin(91 * along);
          const half = ((to - from) / 2) * (0.75 + 0.25 * fade) * own + 0.4 * gap;
          addLens(context, (from + to) / 2 + aside, y, half, gap * 0.62 * fade);
        }
      });
    }
  };
}

/** Returns the spans of a horizontal line inside an outline, from left to right. */
function spansAt(outline: Mirrored['outline'], y: number): [from: number, to: number][] {
  const crossings: number[] = [];
  for (const [index, start] of outline.entries()) {
    const end = outline[(index + 1) % outline.length] ?? start;
    if (start.y <= y !== end.y <= y) crossings.push(start.x + ((end.x - start.x) * (y - start.y)) / (end.y - start.y));
  }
  crossings.sort((one, other) => one - other);
  const spans: [number, number][] = [];
  for (let index = 0; index + 1 < crossings.length; index += 2)
    spans.push([crossings[index] ?? 0, crossings[index + 1] ?? 0]);
  return spans;
}
