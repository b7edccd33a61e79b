import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';

/**
 * Creates the light along the upper edge of a shape, or the shade along its lower edge: the part that the same shape,
 * moved down or up, does not cover.
 */
export function createEdge(
  shape: Path2D,
  { shift, tone, within }: { shift: number; tone: string; within?: Path2D },
): (context: SKRSContext2D) => void {
  const outside = new Path2D('M-2-2H2V2H-2Z');
  outside.addPath(shape, { a: 1, b: 0, c: 0, d: 1, e: 0, f: shift });
  return (context) => {
    context.save();
    context.clip(shape);
    if (within) context.clip(within);
    context.fillStyle = tone;
    context.fill(outside, 'evenodd');
    context.restore();
  };
}
