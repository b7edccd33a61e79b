import { Path2D } from '@napi-rs/canvas';
import type { Paint } from './layer.ts';
import { drawAt, stroke } from './paint.ts';

/** Strokes, because fonts differ from machine to machine. The x-height is 1, and y is 0 at the baseline. */
const letters: Record<string, { advance: number; strokes: string }> = {
  a: { advance: 1.12, strokes: 'M.9 -.5A.42 .5 0 1 0 .9 -.499M.9 -1L.9 0' },
  n: { advance: 1.08, strokes: 'M.1 0L.1 -1M.1 -.6A.36 .38 0 0 1 .82 -.6L.82 0' },
  i: { advance: 0.44, strokes: 'M.16 0L.16 -1M.16 -1.42L.16 -1.4' },
  m: {
    advance: 1.6,
    strokes: 'M.1 0L.1 -1M.1 -.62A.32 .36 0 0 1 .74 -.62L.74 0M.74 -.62A.32 .36 0 0 1 1.38 -.62L1.38 0',
  },
  t: { advance: 0.78, strokes: 'M.3 -1.4L.3 -.25A.25 .25 0 0 0 .62 -.03M.04 -1L.6 -1' },
  c: { advance: 1, strokes: 'M.84 -.82A.42 .5 0 1 0 .84 -.18' },
};

const word = 'animatic';
const heightOfX = 0.0185;
const margin = 0.036;
const strokeWidth = 0.19;

/** Writes "animatic" in the lower right corner, so that no viewer takes a drawing for a model's video. */
export function createLabel({ width, height }: { width: number; height: number }): Paint {
  const scale = heightOfX * Math.min(width, height);
  const path = new Path2D();
  let length = 0;
  for (const letter of word) {
    const { advance, strokes } = letters[letter] ?? { advance: 1, strokes: '' };
    path.addPath(new Path2D(strokes), { a: 1, b: 0, c: 0, d: 1, e: length, f: 0 });
    length += advance;
  }
  const inset = margin * Math.min(width, height);
  return (context) => {
    drawAt(context, { x: width - inset - length * scale, y: height - inset, scale }, () => {
      context.lineCap = 'round';
      context.lineJoin = 'round';
      stroke(context, 'rgba(0, 0, 0, 0.32)', strokeWidth * 2.4, path);
      stroke(context, 'rgba(255, 255, 255, 0.86)', strokeWidth, path);
    });
  };
}
