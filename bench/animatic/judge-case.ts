import type { Measured } from './measure-case.ts';

/** A ratio below this is a failure; a ratio below the goal of 0.7 is only reported. */
const leastRatio = 0.5;

/** Returns the limits that a case missed, joined into at most one failure. */
export function judgeCase({ renderCase, seconds, ratio, usage }: Measured): string[] {
  const { size, prompt, limitSeconds } = renderCase;
  const failures: string[] = [];
  // Drawing and encoding run in parallel, each on a core of its own, so a video takes as long as the slower of the two
  // unless the machine has other work to do. Time spent waiting shows in the ratio.
  const busySeconds = Math.max(usage.drawingCpuSeconds, usage.encodingCpuSeconds);
  if (limitSeconds !== null && Math.min(seconds, busySeconds) > limitSeconds)
    failures.push(`${size} of "${prompt}" took ${busySeconds.toFixed(1)} s of CPU; the limit is ${limitSeconds} s`);
  if (ratio < leastRatio)
    failures.push(
      `${size} of "${prompt}" has ${ratio.toFixed(2)} of bare ffmpeg's speed; the minimum is ${leastRatio}`,
    );
  // A case has one verdict, because the number of checks is the number of cases.
  return failures.length > 1 ? [failures.join('; ')] : failures;
}
