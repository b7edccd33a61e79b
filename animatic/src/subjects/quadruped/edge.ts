import { Path2D } from '@napi-rs/canvas';
import type { Paint } from '../../drawing/layer.ts';
import { within } from '../../drawing/paint.ts';

/**
 * Creates the light along the upper edge of a shape, or the shade along its lower edge: the part that the same shape,
 * moved down or up, does not cover.
 */
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
