/** Measured seconds of tasks like this one, from the begin of an attempt. */
interface MeasuredSeconds {
  renderP50Seconds: number;
  totalP50Seconds: number;
  totalP90Seconds: number;
}

/** Below it, a fraction of steps says more about warming up than about speed. */
const leastProgress = 10;

/** What a queued task waits for. */
export interface Wait {
  /** How many tasks begin until it has begun, itself included. */
  position: number;
  /** How many jobs the pool can run at once; for a project at its cap, how many tasks it may. */
  lanes: number;
  /** Of them, those that nobody uses now. */
  freeLanes: number;
  /** How long a task keeps a lane. */
  secondsPerTask: number;
}

/** When a queued task will have completed; null where nothing takes jobs. */
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

/** When a task in progress will have completed; null once it has taken longer than nearly all others did. */
export function expectedEndOfRunning(
  attempt: {
    beganAt: Date /** Steps that the engine reported, 0..100; null where it reports none, or has ended. */;
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
  // Half of them take longer than the median: once it is past, what nearly all of them keep to is the honest word.
  if (elapsed < measured.totalP50Seconds) return rounded(measured.totalP50Seconds - elapsed, now);
  if (elapsed < measured.totalP90Seconds) return rounded(measured.totalP90Seconds - elapsed, now);
  return null;
}

/** As exact as it can be meant: a far end that moved with every second would claim too much, and defeat every 304. */
function rounded(secondsLeft: number, now: Date): Date {
  const step = secondsLeft > 600 ? 60 : secondsLeft > 60 ? 10 : 1;
  const end = now.getTime() / 1000 + secondsLeft;
  return new Date(Math.ceil(end / step) * step * 1000);
}
