import { describe, expect, test } from 'vitest';
import { emptyHistory } from '../crash/history.ts';
import { taskRecord } from '../crash/task-record.fixture.ts';
import { goodEvidence } from '../faults/fault-evidence.fixture.ts';
import { judgeFaultWalk } from './judge-fault-walk.ts';
import { plannedFaults, plannedSilences, type Silence, type WalkEvidence } from './walk-evidence.ts';

const video = `2026-11-16/task_a/${'0a'.repeat(32)}.mp4`;

/** Silences of 500 ms each, one per second. Another process takes over, or ends a round, in the middle of each. */
function goodWalk(): WalkEvidence {
  const common = goodEvidence('a failover');
  const silences = plannedSilences.map(({ kind, role }, index): Silence => {
    const from = 1000 * index;
    return { kind, role, copy: 0, pid: 100 + index, from, until: from + 500, inFlight: [`in-flight-${index}`] };
  });
  return {
    ...common,
    takenAway: null,
    // Times are not judged, however long.
    probes: common.probes.flatMap((probe) =>
      plannedFaults.map((fault) => ({ ...probe, fault, secondsOf: { 'north-1': 299 }, readsAfterSeconds: 299 })),
    ),
    lostBytes: 4711,
    sweeps: [{ under: 'the restored database', isRefused: true, printed: '' }],
    clocks: [],
    objectsSeen: [video],
    objectsLeft: [video],
    silences,
    holders: silences.flatMap(({ pid, from, inFlight: [taskId = ''] }) => [
      { at: from - 10, pid, taskId, attempt: 1, isTakeover: false },
      { at: from + 250, pid: pid + 50, taskId, attempt: 1, isTakeover: true },
    ]),
    rounds: silences.map(({ from }) => ({ copy: 1, at: from + 250 })),
    before: emptyHistory(),
    after: emptyHistory(),
  };
}

const judge = (change: (evidence: WalkEvidence) => void) => {
  const evidence = goodWalk();
  change(evidence);
  return judgeFaultWalk(evidence, 10);
};
const silenceOf = ({ silences }: WalkEvidence, kind: Silence['kind'], role: Silence['role']): Silence => {
  const found = silences.find((silence) => silence.kind === kind && silence.role === role);
  if (!found) throw new Error(`there is no ${kind} of ${role}`);
  return found;
};

describe('the judge of the fault walk', () => {
  test('accepts a walk that kept the promise, however long it took', () => {
    const { figures, failures } = judge(() => undefined);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ silences: 8, takeovers: 8, lostBytes: 4711, objectsDeleted: 0 });
  });

  test('accepts a kill that left nothing to take over if it was repeated', () => {
    expect(judge(killTwice).failures).toEqual([]);
  });

  test.each<[string, (evidence: WalkEvidence) => void, RegExp]>([
    [
      'a repeated kill that cost an attempt instead of a takeover',
      (evidence) => {
        killTwice(evidence);
        evidence.before.attempts.push(lost('left-nothing'));
      },
      /no worker took over after the kill of one worker/,
    ],
    ['a lost task', (evidence) => void evidence.rolledBack.pop(), /t5 was lost/],
    ['a failover that lost nothing', (evidence) => void Object.assign(evidence, { lostBytes: 0 }), /lacked nothing/],
    ['a deleted video', ({ objectsLeft }) => void objectsLeft.pop(), /\.mp4 was deleted/],
    ['too few tasks', ({ tasks }) => void tasks.pop(), /only 9 of 10 tasks/],
    ['a fault after which nothing was tried', ({ probes }) => void probes.pop(), /not caused: a restore of Postgres/],
    [
      'an endpoint that never recovered',
      ({ probes }) => void Object.assign(probes[0] ?? {}, { secondsOf: { 'north-2': null } }),
      /after the begin of the freeze of one animatic, north-2 first completed a new task never/,
    ],
    [
      'reads that the other copy did not answer',
      ({ probes }) => void Object.assign(probes[3] ?? {}, { readsAfterSeconds: null }),
      /after the begin of the freeze of one api, reads were fast again never/,
    ],
    ['a role that was not killed', ({ silences }) => void silences.shift(), /not caused: the kill of one animatic/],
    [
      'a kill while nothing was in flight',
      (evidence) => void silenceOf(evidence, 'kill', 'api').inFlight.pop(),
      /nothing was in flight at the kill of one api/,
    ],
    [
      'a dead worker whose attempt nobody took over',
      (evidence) => {
        const { pid } = silenceOf(evidence, 'kill', 'worker');
        evidence.holders = evidence.holders.filter((holder) => holder.pid !== pid + 50);
      },
      /no worker took over after the kill of one worker/,
    ],
    [
      'a takeover only after the frozen worker went on',
      (evidence) => void Object.assign(silenceOf(evidence, 'freeze', 'worker'), { until: 3200 }),
      /no worker took over after the freeze of one worker/,
    ],
    [
      'rounds of the frozen relay only',
      ({ rounds }) => {
        for (const round of rounds) round.copy = 0;
      },
      /no other relay ended a round/,
    ],
    [
      'a task of the walk that nobody asked for',
      ({ before }) => void before.tasks.push(taskRecord('task_x', null, 'completed')),
      /task_x was never requested/,
    ],
    [
      'a counter that was wrong',
      ({ after }) => void after.findings.push({ kind: 'miscounted', taskId: null }),
      /the reconciler had to act: miscounted/,
    ],
    [
      'a lease that is left',
      ({ after }) => void after.leases.push({ endpointId: 'north-1', slot: 0, taskId: 'task_x' }),
      /slot 0 of north-1 is still leased to task_x/,
    ],
    [
      'a task that ended without a usage row',
      ({ after }) => {
        after.tasks.push(taskRecord('task_x', null, 'completed'));
        after.events.push({ taskId: 'task_x', type: 'video.completed', at: 1 });
      },
      /task_x has 0 usage rows/,
    ],
  ])('rejects %s', (_, change, objection) => {
    expect(judge(change).failures).toContainEqual(expect.stringMatching(objection));
  });
});

/** Adds a kill of a worker, before the other one, after which nobody took over. */
function killTwice(evidence: WalkEvidence): void {
  const kill = silenceOf(evidence, 'kill', 'worker');
  const from = kill.from - 100;
  evidence.silences.push({ ...kill, pid: 999, from, until: from + 50, inFlight: ['left-nothing'] });
}

function lost(taskId: string): WalkEvidence['before']['attempts'][number] {
  return { taskId, attempt: 1, takeovers: 0, beganAt: 0, endedAt: 1, outcome: 'engine_lost' };
}
