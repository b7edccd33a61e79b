import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from '../drawing/moment.ts';
import type { Setting } from '../drawing/setting.ts';

/** Somebody or something in motion. One file a subject; `subjects.ts` lists them. */
export interface Subject {
  /** What carries it: it is placed by the scene's line for that. */
  place: 'ground' | 'water' | 'air';
  /** Its length in units, when it is the subject of a wide shot. */
  length: number;
  /** How fast the ground passes under it, in units a second. */
  speed: number;
  /**
   * Prepares its drawing, once a video. It is drawn facing right, its length is 1; the origin is where it touches what
   * carries it, or its middle if that is the air. Weight is its own affair: bobbing, leaning, springing.
   */
  create(setting: Setting): (context: SKRSContext2D, moment: Moment) => void;
}
