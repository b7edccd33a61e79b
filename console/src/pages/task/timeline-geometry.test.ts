import type { Timeline } from '@kinora/sdk';
import { describe, expect, it } from 'vitest';
import { layOutTimeline } from './timeline-geometry.ts';

type Stage = Timeline['stages'][number];
type Attempt = Timeline['attempts'][number];

const stage = (name: Stage['stage'], attempt: number, seconds: number, isRunning = false): Stage => ({
  stage: name,
  attempt,
  // Whole seconds, as the API sends them: too coarse to draw from.
  started_at: 1_000,
  ended_at: isRunning ? null : 1_000,
  seconds,
});
const attempt = (number: number, outcome: string | null): Attempt => ({
  attempt: number,
  endpoint: `engine-${number}`,
  started_at: 1_000,
  began_at: 1_000,
  ended_at: outcome === null ? null : 1_001,
  engine_seconds: null,
  takeovers: 0,
  outcome,
});
const timeline = (stages: Stage[], attempts: Attempt[]): Timeline => ({
  id: 'task_1',
  task_id: 'task_1',
  object: 'video.timeline',
  status: 'completed',
  created_at: 1_000,
  started_at: 1_000,
  completed_at: 1_004,
  seconds: stages.reduce((sum, { seconds }) => sum + seconds, 0),
  stages,
  attempts,
});

describe('the geometry of a timeline', () => {
  const retried = timeline(
    [
      stage('waiting', 1, 1),
      stage('rendering', 1, 2),
      stage('waiting', 2, 0.5),
      stage('rendering', 2, 4),
      stage('finishing', 2, 0.5),
    ],
    [attempt(1, 'engine_crashed'), attempt(2, 'completed')],
  );

  it('has one row per attempt, with the waiting before it', () => {
    const { rows } = layOutTimeline(retried, 0);
    expect(rows.map(({ attempt, endpoint, outcome }) => [attempt, endpoint, outcome])).toEqual([
      [1, 'engine-1', 'engine_crashed'],
      [2, 'engine-2', 'completed'],
    ]);
    expect(rows[1]?.bars.map(({ stage }) => stage)).toEqual(['waiting', 'rendering', 'finishing']);
  });

  it('places the stages without a gap from 0 to 100 percent', () => {
    const bars = layOutTimeline(retried, 0).rows.flatMap((row) => row.bars);
    expect(bars.map(({ left, width }) => [left, width])).toEqual([
      [0, 12.5],
      [12.5, 25],
      [37.5, 6.25],
      [43.75, 50],
      [93.75, 6.25],
    ]);
  });

  it('adds the stages up over all attempts, the longest first', () => {
    expect(layOutTimeline(retried, 0).sums).toEqual([
      { stage: 'rendering', seconds: 6, percent: 75 },
      { stage: 'waiting', seconds: 1.5, percent: 18.75 },
      { stage: 'finishing', seconds: 0.5, percent: 6.25 },
    ]);
  });

  it('lets a stage that still lasts grow with the time since it was read', () => {
    const running = timeline([stage('waiting', 1, 1), stage('rendering', 1, 2, true)], [attempt(1, null)]);
    const { totalSeconds, rows } = layOutTimeline(running, 3);
    expect(totalSeconds).toBe(6);
    expect(rows[0]?.bars[1]).toMatchObject({ seconds: 5, isRunning: true });
  });

  it('has a row for an attempt that still waits for an endpoint', () => {
    const waiting = timeline([stage('waiting', 1, 4, true)], []);
    expect(layOutTimeline(waiting, 0).rows[0]).toMatchObject({ attempt: 1, endpoint: null, outcome: null });
  });

  it('has round ticks, and never more than nine', () => {
    const ticksOf = (seconds: number) =>
      layOutTimeline(timeline([stage('rendering', 1, seconds)], []), 0).ticks.map((tick) => tick.seconds);
    expect(ticksOf(0.7)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    expect(ticksOf(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(ticksOf(200)).toEqual([0, 30, 60, 90, 120, 150, 180]);
    for (const seconds of [0.01, 3, 47, 59, 601, 90_000, 2_000_000]) {
      expect(ticksOf(seconds).length).toBeLessThanOrEqual(9);
    }
  });

  it('draws an empty timeline', () => {
    expect(layOutTimeline(timeline([], []), 0)).toEqual({
      totalSeconds: 0,
      rows: [],
      ticks: [{ seconds: 0, left: 0 }],
      sums: [],
    });
  });
});
