import type { Measured } from './measure-case.ts';

/** Below the goal of 0.7 is told; below this is a failure. */
const leastRatio = 0.5;

/** The limits that a case missed, a sentence each. */
export function judgeCase({ renderCase, seconds, ratio }: Measured): string[] {
  const { size, prompt, limitSeconds } = renderCase;
  const failures: string[] = [];
  if (limitSeconds !== null && seconds > limitSeconds)
    failures.push(`${size} of "${prompt}" took ${seconds.toFixed(1)} s; the limit is ${limitSeconds} s`);
  if (ratio < leastRatio)
    failures.push(`${size} of "${prompt}" has ${ratio.toFixed(2)} of bare ffmpeg's speed; the least is ${leastRatio}`);
  // One case, one verdict: the count of checks is the count of cases.
  return failures.length > 1 ? [failures.join('; ')] : failures;
}
