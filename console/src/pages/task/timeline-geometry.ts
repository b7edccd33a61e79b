import type { Timeline } from '@kinora/sdk';

type Stage = Timeline['stages'][number]['stage'];

export interface TimelineBar {
  stage: Stage;
  startSeconds: number;
  seconds: number;
  /** Percent of the whole width. */
  left: number;
  width: number;
  isRunning: boolean;
}

export interface TimelineRow {
  attempt: number;
  /** Null while the attempt has no endpoint yet. */
  endpoint: string | null;
  /** `completed`, `cancelled`, `refused` or the code of a failure; null while the attempt lasts. */
  outcome: string | null;
  takeovers: number;
  bars: readonly TimelineBar[];
}

export interface TimelineGeometry {
  totalSeconds: number;
  /** One row per attempt. The waiting before an attempt belongs to it. */
  rows: readonly TimelineRow[];
  ticks: readonly { seconds: number; left: number }[];
  /** The seconds of each stage over all attempts, the longest first. */
  sums: readonly { stage: Stage; seconds: number; percent: number }[];
}

const tickSteps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
const mostTicks = 8;

/**
 * Returns where everything of a timeline is drawn. Positions are sums of the stages' seconds, which are exact to the
 * millisecond and without a gap; their moments are whole seconds. `elapsedSeconds` have passed since the timeline was
 * read: a stage that still lasts is as much longer.
 */
export function layOutTimeline(timeline: Timeline, elapsedSeconds: number): TimelineGeometry {
  let reached = 0;
  const stages = timeline.stages.map(({ stage, attempt, seconds, ended_at }) => {
    const isRunning = ended_at === null;
    const length = seconds + (isRunning ? Math.max(0, elapsedSeconds) : 0);
    const startSeconds = reached;
    reached += length;
    return { stage, attempt, startSeconds, seconds: length, isRunning };
  });
  const totalSeconds = reached;
  // Anything else of the task, such as a cause, is placed by the same function.
  const place = (seconds: number): number => (totalSeconds === 0 ? 0 : (seconds / totalSeconds) * 100);

  const attempts = [...new Set(stages.map(({ attempt }) => attempt))];
  const rows = attempts.map((attempt): TimelineRow => {
    const known = timeline.attempts.find((one) => one.attempt === attempt);
    const bars = stages
      .filter((one) => one.attempt === attempt)
      .map(({ stage, startSeconds, seconds, isRunning }) => {
        return { stage, startSeconds, seconds, isRunning, left: place(startSeconds), width: place(seconds) };
      });
    const { endpoint = null, outcome = null, takeovers = 0 } = known ?? {};
    return { attempt, endpoint, outcome, takeovers, bars };
  });
  return {
    totalSeconds,
    rows,
    ticks: ticksOf(totalSeconds).map((seconds) => ({ seconds, left: place(seconds) })),
    sums: sumsOf(stages).map((sum) => ({ ...sum, percent: place(sum.seconds) })),
  };
}

function ticksOf(totalSeconds: number): number[] {
  const step = tickSteps.find((one) => totalSeconds / one <= mostTicks) ?? totalSeconds / mostTicks;
  // 0.7 divided by 0.1 is a little less than 7.
  const count = Math.floor(totalSeconds / step + 1e-6);
  // Multiplied and not added up: ten times 0.1 must be 1.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toFixed(1)));
}

function sumsOf(stages: readonly { stage: Stage; seconds: number }[]): { stage: Stage; seconds: number }[] {
  const sums = new Map<Stage, number>();
  for (const { stage, seconds } of stages) sums.set(stage, (sums.get(stage) ?? 0) + seconds);
  return [...sums].map(([stage, seconds]) => ({ stage, seconds })).sort((one, other) => other.seconds - one.seconds);
}
