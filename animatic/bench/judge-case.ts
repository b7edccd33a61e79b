import type { Measured } from './measure-case.ts';

/** Below the goal of 0.7 is told; below this is a failure. */
const leastRatio = 0.5;

/** The limits that a case missed, a sentence each. */
export function judgeCase({ renderCase, seconds, ratio, peaks }: Measured): string[] {
  const { size, prompt, limitSeconds } = renderCase;
  const failures: string[] = [];
  // Drawing and encoding run side by side, each on a core of its own: the slower of the two is what a video takes, unless
  // the machine has other work to do. Time that was spent waiting shows in the ratio.
  const busySeconds = Math.max(peaks.drawingCpuSeconds, peaks.encodingCpuSeconds);
  if (limitSeconds !== null && Math.min(seconds, busySeconds) > limitSeconds)
    failures.push(`${size} of "${prompt}" took ${busySeconds.toFixed(1)} s of CPU; the limit is ${limitSeconds} s`);
  if (ratio < leastRatio)
    failures.push(`${size} of "${prompt}" has ${ratio.toFixed(2)} of bare ffmpeg's speed; the least is ${leastRatio}`);
  // One case, one verdict: the count of checks is the count of cases.
  return failures.length > 1 ? [failures.join('; ')] : failures;
}
