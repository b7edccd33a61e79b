const step = /(\d{1,7})\/(\d{1,7})|(\d{1,3})%\|/g;

/** Returns the percentage of the last step in the logs, such as `6/60` or tqdm's ` 10%|`; null without a step. */
export function progressOfLogs(logs: string): number | null {
  let progress: number | null = null;
  for (const [, done, total, percent] of logs.matchAll(step)) {
    const value = percent === undefined ? (Number(done) / Number(total)) * 100 : Number(percent);
    if (value >= 0 && value <= 100) progress = value; // not a date or a division by zero
  }
  return progress;
}
