import type { SKRSContext2D } from '@napi-rs/canvas';
import { fraction, type Moment } from './moment.ts';
import type { Setting } from './setting.ts';

/** One thing that falls, at an instant. */
interface Faller {
  x: number;
  y: number;
  /** Its own number, 0..1, the same all the way down: sizes and kinds come from it. */
  nature: number;
  /** How far it has come, 0..1. */
  fallen: number;
}

/** Things that fall through the whole stage, for ever. */
export interface Fall {
  /** Visits those that the camera sees; the others cost nothing. */
  each(context: SKRSContext2D, moment: Moment, visit: (faller: Faller) => void): void;
}

interface Options {
  /** How many are in the air at once. */
  count: number;
  /** In units a second. */
  speed: number;
  /** Units sideways for each unit down. */
  slant: number;
  /** How far it swings to the sides, in units. */
  flutter: number;
}

interface Stream {
  x: number;
  offset: number;
  nature: number;
  /** How many follow each other down the same way. */
  members: number;
  /** How many members' lengths they come down in a video: whole, so that the last frame meets the first. */
  steps: number;
  swings: number;
  flutter: number;
}

/**
 * Rain, snow, petals, leaves. What falls slowly cannot come down once in a short video, so it falls in streams: each member
 * ends where the next began, and the way down swings, so that nobody sees that they follow each other.
 */
export function createFall({ stage, dice, seconds }: Setting, { count, speed, slant, flutter }: Options): Fall {
  const top = stage.top - 0.1;
  const height = stage.bottom + 0.1 - top;
  const drift = slant * height;
  const left = stage.left - Math.max(0, drift) - flutter;
  const span = stage.right - stage.left + Math.abs(drift) + 2 * flutter;
  const streams: Stream[] = [];
  for (let total = 0; total < count; ) {
    const lengths = height / (speed * dice.between(0.8, 1.25) * Math.max(0.2, seconds));
    const members = Math.max(1, Math.round(lengths));
    streams.push({
      x: left + span * dice.between(0, 1),
      offset: dice.between(0, 1),
      nature: dice.between(0, 1),
      members,
      steps: Math.max(1, Math.round(members / lengths)),
      swings: dice.between(1.5, 4.5),
      flutter: flutter * dice.between(0.4, 1),
    });
    total += members;
  }
  return {
    each(context, { phase }, visit) {
      const { a, b, c, d, e, f } = context.getTransform();
      const margin = 0.25 * Math.hypot(a, b);
      const isSeen = (x: number, y: number) => {
        const [across, down] = [a * x + c * y + e, b * x + d * y + f];
        return (
          across > -margin &&
          down > -margin &&
          across < context.canvas.width + margin &&
          down < context.canvas.height + margin
        );
      };
      for (const { x, offset, nature, members, steps, swings, flutter: reach } of streams) {
        for (let member = 0; member < members; member++) {
          const fallen = fraction((member + steps * phase) / members + offset);
          const angle = 2 * Math.PI * swings * fallen;
          const swing = reach * (0.7 * Math.sin(angle + 9 * offset) + 0.3 * Math.sin(2.3 * angle + 5 * nature));
          const place = { x: x + drift * fallen + swing, y: top + height * fallen };
          if (isSeen(place.x, place.y)) visit({ ...place, nature, fallen });
        }
      }
    },
  };
}
