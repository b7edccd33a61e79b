import type { SoakSample } from './soak-sample.ts';

/** Returns samples, 15 s apart, of a run whose figures swing a little and do not grow. */
export function steadySamples(count: number): SoakSample[] {
  return Array.from({ length: count }, (_, index) => {
    const swing = Math.sin(index);
    return {
      seconds: 15 * (index + 1),
      tasks: 30,
      createMilliseconds: 8 + swing,
      readMilliseconds: 3 + swing,
      taskMilliseconds: 700 + 50 * swing,
      megabytes: { api: 150 + 5 * swing, relay: 110 + 3 * swing, worker: 220 + 8 * swing, animatic: 100 },
      descriptors: { api: 60 + 2 * swing, relay: 40, worker: 80 + 3 * swing, animatic: 30 },
      connections: 25 + 2 * swing,
      transientMegabytes: 2 + 0.2 * swing,
      kilobytesPerTask: 12 + 0.1 * swing,
      deadShare: 0.1 + 0.02 * swing,
    };
  });
}
