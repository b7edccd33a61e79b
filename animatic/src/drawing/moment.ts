/** One instant of a video that repeats without a jump: everything that moves asks it where it is. */
export interface Moment {
  /** 0..1 over the whole video; 1 would be the first frame again. */
  phase: number;
  /**
   * Where in its cycle, 0..1, something is that repeats about `perSecond` times a second and a whole number of times in the
   * video. What is too slow for one whole cycle stands still.
   */
  turn(perSecond: number, offset?: number): number;
  /** A swing between −1 and 1, about `perSecond` times a second; in a video too short for one swing, a smaller one. */
  wave(perSecond: number, offset?: number): number;
}

/** Pace slows or hastens everything: 1 as it comes, 0.4 in slow motion. */
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
      // At most as fast as it would be: one swing in a short video is a small one.
      return Math.min(1, wanted / cycles) * Math.sin(2 * Math.PI * (cycles * phase + offset));
    },
  };
}

/** 0..1, for negative numbers too. */
export function fraction(value: number): number {
  return value - Math.floor(value);
}
