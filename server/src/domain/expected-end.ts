/** Measured seconds of similar tasks, from the start of an attempt. */
interface MeasuredSeconds {
  renderP50Seconds: number;
  totalP50Seconds: number;
  totalP90Seconds: number;
}

/** Percent. Below this, the reported steps say more about warming up than about speed. */
const leastProgress = 10;

/** The wait of a queued task. */
export interface Wait {
  /** How many tasks begin up to and including this one. */
  position: number;
  /** How many jobs the pool can run at once. For a project at its cap: how many tasks the project may run at once. */
  lanes: number;
  /** How many of the lanes are free now. */
  freeLanes: number;
  /** How long a task occupies a lane. */
  secondsPerTask: number;
}

/** Returns when a queued task is expected to complete, or null if no endpoint takes jobs. */
export function expectedEndOfQueued(
  wait: Wait,
  measured: Pick<MeasuredSeconds, 'totalP50Seconds'>,
  now: Date,
): Date | null {
  const { position, lanes, freeLanes, secondsPerTask } = wait;
  if (lanes < 1) return null;
  const waitSeconds = (Math.max(0, position - freeLanes) * secondsPerTask) / lanes;
  return rounded(waitSeconds + measured.totalP50Seconds, now);
}

/** When a task in progress should complete; null once it has taken longer than the 90th percentile. */
export function expectedEndOfRunning(
  attempt: {
    beganAt: Date;
    /** Steps that the engine reported, 0..100; null if it reports none, or once rendering has ended. */
    progress: number | null;
  },
  measured: MeasuredSeconds,
  now: Date,
): Date | null {
  const elapsed = Math.max(0, (now.getTime() - attempt.beganAt.getTime()) / 1000);
  if (attempt.progress !== null && attempt.progress >= leastProgress) {
    const renderSeconds = (elapsed * 100) / attempt.progress;
    const finishSeconds = Math.max(0, measured.totalP50Seconds - measured.renderP50Seconds);
    return rounded(renderSeconds + finishSeconds - elapsed, now);
  }
  // Half of the tasks take longer than the median. Once it has passed, the 90th percentile is the honest estimate.
  if (elapsed < measured.totalP50Seconds) return rounded(measured.totalP50Seconds - elapsed, now);
  if (elapsed < measured.totalP90Seconds) return rounded(measured.totalP90Seconds - elapsed, now);
  return null;
}

/** Rounds up, more coarsely for distant ends: one that moved every second would look exact and never give a 304. */
function rounded(secondsLeft: number, now: Date): Date {
  const step = secondsLeft > 600 ? 60 : secondsLeft > 60 ? 10 : 1;
  const end = now.getTime() / 1000 + secondsLeft;
  return new Date(Math.ceil(end / step) * step * 1000);
}
