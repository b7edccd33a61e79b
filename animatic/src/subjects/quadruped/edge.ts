import { Path2D } from '@napi-rs/canvas';
import type { Paint } from '../../drawing/layer.ts';
import { within } from '../../drawing/paint.ts';

/** Creates the light along a shape's upper edge, or shade along the lower one: what the shape, moved, leaves bare. */
export function createEdge(
  shape: Path2D,
  { shift, tone, part }: { shift: number; tone: string; part?: Path2D },
): Paint {
  const outside = new Path2D('M-2-2H2V2H-2Z');
  outside.addPath(shape, { a: 1, b: 0, c: 0, d: 1, e: 0, f: shift });
  return (context) => {
    within(context, shape, () => {
      if (part) context.clip(part);
      context.fillStyle = tone;
      context.fill(outside, 'evenodd');
    });
  };
}
