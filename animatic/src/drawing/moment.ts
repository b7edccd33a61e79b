/** One instant of a video that loops without a jump: everything that moves gets its position from it. */
export interface Moment {
  /** From 0 to 1 over the whole video; 1 would be the first frame of the next loop. */
  phase: number;
  /**
   * Returns the position, 0..1, in a cycle that repeats about `perSecond` times per second and a whole number of times
   * in the video. A motion too slow for one whole cycle does not move.
   */
  turn(perSecond: number, offset?: number): number;
  /**
   * Returns a value that swings between −1 and 1, about `perSecond` times per second; in a video too short for one full
   * swing, the swing is smaller.
   */
  wave(perSecond: number, offset?: number): number;
}

/** Creates a moment. Pace is the speed of everything: normally 1, 0.4 in slow motion. */
export function createMoment(phase: number, { seconds, pace }: { seconds: number; pace: number }): Moment {
  return {
    phase,
    turn(perSecond, offset = 0) {
      const cycles = Math.round(perSecond * seconds * pace);
      return fraction(cycles * phase + offset);
    },
    wave(perSecond, offset = 0) {
      const wanted = perSecond * seconds * pace;
      const cycles = Math.max(1, Math.round(wanted));
      // Keeps the speed: a single swing in a short video is smaller.
      return Math.min(1, wanted / cycles) * Math.sin(2 * Math.PI * (cycles * phase + offset));
    },
  };
}

/** Returns the fractional part, 0..1, for negative numbers too. */
export function fraction(value: number): number {
  return value - Math.floor(value);
}
