import type { Task } from '@kinora/sdk';

/** Returns what a task makes, in a few words: `animatic · 480p · 16:9 · 5 s`. */
export function aboutTask({ model, resolution, aspect_ratio, duration }: Task): string {
  return [model, resolution, aspect_ratio, `${duration} s`].join(' · ');
}
