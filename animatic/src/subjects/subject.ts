import type { Draw } from '../drawing/layer.ts';
import type { Setting } from '../drawing/setting.ts';
import type { ActionName } from '../storyboard/vocabulary.ts';

/** A person or thing in motion. Each has a file of its own, and `subjects.ts` lists them. */
export interface Subject {
  /** What carries it; the scene has a line to place it on for each. */
  place: 'ground' | 'water' | 'air';
  /** Its length in units, in a wide shot. */
  length: number;
  /** How fast the ground passes under it, in units per second. */
  speed: number;
  /** The actions during which it stays in its place. */
  stillDuring?: readonly ActionName[];
  /**
   * Prepares its drawing, once per video. The drawing faces right and has length 1; its origin is where it touches the
   * ground or the water, or its middle if it flies. It adds its own small movements: bobbing, leaning, springing.
   */
  create(setting: Setting): Draw;
}
