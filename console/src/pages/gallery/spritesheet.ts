/** A spritesheet has 25 frames of the whole video, evenly spaced, in rows of five from the first to the last. */
const columns = 5;
const frames = 25;

/** The size of the spritesheet as the background of a box that shows one frame. */
export const sheetSize = `${columns * 100}% ${columns * 100}%`;

/** Returns the position of that background for a share of the video, from 0 to 1. */
export function framePosition(share: number): string {
  const frame = Math.max(0, Math.min(frames - 1, Math.floor(share * frames)));
  const step = 100 / (columns - 1);
  return `${(frame % columns) * step}% ${Math.floor(frame / columns) * step}%`;
}
