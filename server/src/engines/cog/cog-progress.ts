const step = /(\d{1,7})\/(\d{1,7})|(\d{1,3})%\|/g;

/** How far a job is by the last step that its logs tell of, `6/60` or tqdm's ` 10%|`; null where they tell of none. */
export function progressOfLogs(logs: string): number | null {
  let progress: number | null = null;
  for (const [, done, total, percent] of logs.matchAll(step)) {
    const value = percent === undefined ? (Number(done) / Number(total)) * 100 : Number(percent);
    if (value >= 0 && value <= 100) progress = value; // neither a date nor a division by zero
  }
  return progress;
}
