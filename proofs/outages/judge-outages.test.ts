import type { StubJob } from '@kinora/stack/harness/stub-engine';
import { describe, expect, test } from 'vitest';
import { judgeOutages } from './judge-outages.ts';
import type { EngineEvidence, Evidence, TaskEvidence } from './outages-evidence.ts';

const planned = { tasks: 20, videos: 4, leastBusyShare: 0.85 };

function job(taskId: string, attempt: number, from: number, until: number, rest: Partial<StubJob> = {}): StubJob {
  const end = 'rejected';
  const jobId = `${taskId}-${attempt}`;
  return { jobId, taskId, beganAt: from, endedAt: until, end, isStalled: false, isDelivered: true, ...rest };
}

/** Evidence of twenty tasks that ran one after the other on a healthy endpoint, three of them after a fault. */
function goodRun(): Evidence {
  const tasks: TaskEvidence[] = Array.from({ length: 20 }, (_, index) => {
    const isVideo = index % 5 === 0;
    return {
      taskId: `t${index}`,
      pool: 'east',
      wanted: isVideo ? 'video' : 'rejection',
      status: isVideo ? 'completed' : 'failed',
      code: isVideo ? null : 'output_rejected',
      videoBytes: isVideo ? 1000 : 0,
    };
  });
  const healthy = tasks.map(({ taskId, wanted }, index) =>
    job(taskId, index < 3 ? 2 : 1, 1000 + index * 1000, 1980 + index * 1000, {
      end: wanted === 'video' ? 'succeeded' : 'rejected',
    }),
  );
  const faulty = (name: string, kind: NonNullable<EngineEvidence['fault']>['kind'], hit: StubJob): EngineEvidence => ({
    name,
    pool: 'east',
    slots: 1,
    fault: { kind, span: { from: 0, until: 5000 } },
    jobs: [hit],
    jobsAfterwards: 1,
  });
  const failed = { isDelivered: false };
  return {
    tasks,
    engines: [
      { name: 'healthy', pool: 'east', slots: 1, fault: null, jobs: healthy, jobsAfterwards: 2 },
      faulty('killed', 'killed', job('t0', 1, 100, 900, { ...failed, end: 'killed' })),
      faulty('stalled', 'stalled', job('t1', 1, 100, 900, { ...failed, end: 'stopped', isStalled: true })),
      faulty('small', 'out of memory', job('t2', 1, 100, 150, { ...failed, end: 'out-of-memory' })),
    ],
    restarts: [{ from: 10_500, until: 12_000 }],
    stalls: [],
    crowded: { east: { from: 1000, until: 20_000 } },
  };
}

const objections = (change: (evidence: Evidence) => void): string[] => {
  const evidence = goodRun();
  change(evidence);
  return judgeOutages(evidence, planned).failures;
};
const jobsOf = ({ engines }: Evidence, name: string): StubJob[] =>
  // This test made the jobs and may change them.
  engines.find((engine) => engine.name === name)?.jobs as StubJob[];
const change = <T>(things: T[], index: number, changes: Partial<T>): void => {
  Object.assign(things[index] ?? {}, changes);
};

describe('the judge of outages', () => {
  test('accepts a run that kept the promise', () => {
    expect(objections(() => undefined)).toEqual([]);
  });

  test('does not count the time in which the machine stood still', () => {
    const idleFrom14 = (evidence: Evidence) => {
      jobsOf(evidence, 'healthy').forEach((one) => {
        if (one.beganAt >= 14_000) one.endedAt = one.beganAt + 100;
      });
    };
    expect(objections(idleFrom14)).toContainEqual(expect.stringMatching(/healthy was busy for/));
    const isStalled = (evidence: Evidence) => {
      idleFrom14(evidence);
      evidence.stalls = [{ from: 14_000, until: 20_000 }];
    };
    expect(objections(isStalled)).toEqual([]);
  });

  test.each<[string, (evidence: Evidence) => void, RegExp]>([
    ['a task that never ended', ({ tasks }) => change(tasks, 6, { status: 'in_progress', code: null }), /t6 ended as/],
    [
      'a task that failed with another code',
      ({ tasks }) => change(tasks, 6, { code: 'internal_error' }),
      /t6 ended as/,
    ],
    ['a video without bytes', ({ tasks }) => change(tasks, 5, { videoBytes: 0 }), /t5 ended as/],
    ['a task that failed after one fault', ({ tasks }) => change(tasks, 1, { code: 'generation_stalled' }), /t1 ended/],
    ['too few tasks', ({ tasks }) => void tasks.pop(), /only 19 of 20/],
    ['too few videos', ({ tasks }) => void tasks.splice(0, 1), /only 3 of 4 videos/],
    [
      'a second job after one that succeeded',
      (evidence) => void jobsOf(evidence, 'killed').push(job('t5', 2, 8000, 9000)),
      /t5 ran after a job of it/,
    ],
    [
      'two jobs of a task at once',
      (evidence) => void jobsOf(evidence, 'killed').push(job('t9', 0, 9500, 10_500, { isDelivered: false })),
      /t9 ran twice at the same time/,
    ],
    [
      'a job stopped without a reason',
      (evidence) => change(jobsOf(evidence, 'healthy'), 4, { end: 'stopped' }),
      /t4-1/,
    ],
    [
      'a job that is still running',
      (evidence) => change(jobsOf(evidence, 'healthy'), 19, { endedAt: null }),
      /t19-1 is still running/,
    ],
    ['a task without a job', (evidence) => void jobsOf(evidence, 'healthy').pop(), /t19 never reached/],
    [
      'a job that the restart interrupted',
      (evidence) => change(jobsOf(evidence, 'healthy'), 9, { end: 'stopped', isDelivered: false }),
      /interrupted t9-1/,
    ],
    [
      'a job that was rendered a second time after the restart',
      (evidence) => {
        change(jobsOf(evidence, 'healthy'), 9, { isDelivered: false });
        jobsOf(evidence, 'killed').push(job('t9', 2, 11_000, 12_000));
      },
      /interrupted t9-1/,
    ],
    ['no restart', (evidence) => void (evidence.restarts = []), /no worker was restarted/],
    [
      'an outage that hit nothing',
      (evidence) => change(jobsOf(evidence, 'stalled'), 0, { isStalled: false, end: 'rejected' }),
      /stalled was stalled, but no job/,
    ],
    [
      'a healthy endpoint that was idle',
      (evidence) => {
        for (const one of jobsOf(evidence, 'healthy')) one.endedAt = one.beganAt + 700;
      },
      /healthy was busy for 70/,
    ],
    [
      'an endpoint that got no jobs after the outages',
      ({ engines }) => change(engines, 1, { jobsAfterwards: 0 }),
      /killed got no jobs/,
    ],
  ])('objects to %s', (_, doctor, objection) => {
    expect(objections(doctor).join('\n')).toMatch(objection);
  });

  test('accepts one task that failed after three faults, but not many of them', () => {
    const useUp = (evidence: Evidence, count: number): void => {
      for (let index = 11; index < 11 + count; index += 1) {
        change(evidence.tasks, index, { wanted: 'rejection', status: 'failed', code: 'engine_out_of_memory' });
        const from = 1000 + index * 1000;
        const fault = { end: 'out-of-memory', isDelivered: false } as const;
        change(jobsOf(evidence, 'healthy'), index, { jobId: `t${index}-3`, ...fault });
        jobsOf(evidence, 'small').push(job(`t${index}`, 1, from - 200, from - 150, fault));
        jobsOf(evidence, 'small').push(job(`t${index}`, 2, from - 100, from - 50, fault));
      }
    };
    expect(objections((evidence) => useUp(evidence, 1))).toEqual([]);
    expect(objections((evidence) => useUp(evidence, 3)).join('\n')).toMatch(/3 tasks failed after three faults/);
  });
});
