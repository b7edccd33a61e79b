import { describe, expect, test } from 'vitest';
import { goodEvidence } from '../faults/fault-evidence.fixture.ts';
import { judgeRestore, type RestoreEvidence } from './judge-restore.ts';

const planned = { tasks: 10, faults: ['a restore of Postgres'], sweeps: 2 };
const video = (name: string): string => `2026-11-16/task_${name}/${'0a'.repeat(32)}.mp4`;

function goodRestore(): RestoreEvidence {
  return {
    ...goodEvidence('a restore of Postgres'),
    sweeps: [
      { under: 'an empty database', isRefused: true, printed: '' },
      { under: 'the restored database', isRefused: true, printed: '' },
    ],
    clocks: [{ process: 'worker', wantedSeconds: -90, measuredSeconds: -90.4 }],
    objectsSeen: [video('a'), video('b'), '2026-11-16/task_a/raw-1'],
    objectsLeft: [video('a'), video('b')],
  };
}

const judge = (change: (evidence: RestoreEvidence) => void) => {
  const evidence = goodRestore();
  change(evidence);
  return judgeRestore(evidence, planned);
};

describe('the judge of restores', () => {
  test('accepts refused sweeps and the loss of raw outputs', () => {
    const { figures, failures } = judge(() => undefined);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ sweepsRefused: 2, objects: 2, objectsDeleted: 0, clocks: 'worker -90 s' });
  });

  test.each<[string, (evidence: RestoreEvidence) => void, RegExp]>([
    ['a lost task', (evidence) => void evidence.rolledBack.pop(), /t5 was lost/],
    ['too few sweeps', ({ sweeps }) => void sweeps.pop(), /only 1 of 2 sweeps/],
    [
      'a sweep that was not refused',
      ({ sweeps }) => void Object.assign(sweeps[0] ?? {}, { isRefused: false, printed: '9 objects deleted' }),
      /under an empty database was not refused: 9 objects deleted/,
    ],
    ['a deleted video', ({ objectsLeft }) => void objectsLeft.shift(), /task_a.*\.mp4 was deleted/],
    ['an empty bucket', (evidence) => void evidence.objectsSeen.splice(0, 2), /the bucket was empty/],
    [
      'a clock that was right',
      ({ clocks }) => void Object.assign(clocks[0] ?? {}, { measuredSeconds: 0.3 }),
      /the clock of worker was off by 0.3 s instead of -90 s/,
    ],
    [
      'a clock that could not be read',
      ({ clocks }) => void Object.assign(clocks[0] ?? {}, { measuredSeconds: Number.NaN }),
      /the clock of worker/,
    ],
  ])('rejects %s', (_, change, objection) => {
    const { failures } = judge(change);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(objection);
  });
});
