import type { SKRSContext2D } from '@napi-rs/canvas';
import { fraction, type Moment } from './moment.ts';
import type { Setting } from './setting.ts';

/** One thing that falls, at an instant. */
interface Faller {
  x: number;
  y: number;
  /** A random number, 0..1, constant all the way down, from which its size and kind follow. */
  nature: number;
  /** How far it has fallen, 0..1. */
  fallen: number;
}

/** Things that keep falling through the whole stage. */
export interface Fall {
  /** Visits the things that the camera sees; the others cost nothing. */
  each(context: SKRSContext2D, moment: Moment, visit: (faller: Faller) => void): void;
}

interface Options {
  /** The number of things in the air at once. */
  count: number;
  /** In units per second. */
  speed: number;
  /** Units sideways per unit down. */
  slant: number;
  /** How far a thing swings to the sides, in units. */
  flutter: number;
}

interface Stream {
  x: number;
  offset: number;
  nature: number;
  /** The number of things that follow each other down the same path. */
  members: number;
  /** How many places each member moves down the stream in a video: a whole number, so that the video loops. */
  steps: number;
  swings: number;
  flutter: number;
}

/**
 * Creates falling rain, snow, petals or leaves. Slow things cannot fall all the way in a short video, so they fall in
 * streams: each member ends where the next one began. Their path swings, so that viewers do not notice the stream.
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
