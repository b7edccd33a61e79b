import { expect, test } from 'vitest';
import { describeSelfRepairs, type RepairEvidence } from './self-repairs.ts';

const quiet: RepairEvidence = { findings: [], repeatedAttempts: [], outboxRows: [] };
const taskId = '019a9000-0000-7000-8000-000000000001';
const repeated = { taskId, attempt: 1, outcome: 'engine_lost', livemode: false, prompt: 'a kite' };

test('a run in which nothing was repaired has nothing to describe', () => {
  expect(describeSelfRepairs(quiet)).toEqual([]);
});

test('each finding, repeated attempt and outbox row gets a sentence', () => {
  expect(
    describeSelfRepairs({
      findings: [
        { kind: 'miscounted', projectId: 'proj_1' },
        { kind: 'restarted', taskId: 'task_1', projectId: 'proj_1' },
      ],
      repeatedAttempts: [repeated],
      outboxRows: [
        { kind: 'start', taskId, tries: 2 },
        { kind: 'deliver', taskId: null, tries: 0 },
      ],
    }),
  ).toEqual([
    'The reconciler repaired proj_1: miscounted.',
    'The reconciler repaired task_1: restarted.',
    expect.stringMatching(/^task_\w{26} needed attempt 2: attempt 1 ended as engine_lost\.$/),
    expect.stringMatching(/^A message of the outbox was not sent: start of task_\w{26}, after 2 tries\.$/),
    'A message of the outbox was not sent: deliver of a delivery, after 0 tries.',
  ]);
});

test('an attempt that a test made fail is no repair, but in live mode a directive is only text', () => {
  const forced = (prompt: string, livemode: boolean) =>
    describeSelfRepairs({ ...quiet, repeatedAttempts: [{ ...repeated, prompt, livemode }] }).length;
  for (const directive of ['[[fail:engine_crashed]]', '[[fail-once:engine_crashed]]', '[[lose]]', '[[stall]]'])
    expect([directive, forced(`a kite ${directive}`, false)]).toEqual([directive, 0]);
  expect(forced('a kite [[lose]]', true)).toBe(1);
  expect(forced('a kite [[delay:3]]', false)).toBe(1);
});
