export const aspectRatios = ['16:9', '9:16', '4:3', '3:4', '21:9', '1:1'] as const;
export type AspectRatio = (typeof aspectRatios)[number];

/** Returns the canvas size that the service requests: the long side follows from the ratio, rounded to even pixels. */
export function canvasSize(shortSide: number, ratio: AspectRatio): { width: number; height: number } {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const longSide = 2 * Math.round((shortSide * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: longSide, height: shortSide } : { width: shortSide, height: longSide };
}
