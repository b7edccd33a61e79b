import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goodEvidence } from '../faults/fault-evidence.fixture.ts';
import { set } from '../set.fixture.ts';
import { judgeRollout, type RolloutEvidence } from './judge-rollout.ts';

const planned = { tasks: 9, open: 20 };

function goodRollout(): RolloutEvidence {
  const good = goodEvidence('none');
  const step = (name: string, printed = 'The schema is up to date.') => ({
    name,
    printed,
    open: 24,
    stuck: [],
    seconds: 12,
  });
  return {
    ...good,
    tasks: good.tasks.filter(({ statuses }) => statuses.at(-1)?.status === 'completed'),
    probes: [],
    rolledBack: [],
    replays: { replayed: 17, refused: [] },
    steps: [step('the upgrade'), step('the way back', 'There is nothing to do.'), step('the second upgrade')],
    migrating: {
      printed: 'It gives way and tries again.',
      samples: 500,
      longestWaitMilliseconds: 1_990,
      slowestReadMilliseconds: 2_700,
    },
    findings: ['outgrown', 'admitted'],
    requests: 1_000,
    requestFailures: [],
  };
}

test('the patch of the newer version applies to this one', () => {
  const check = ['apply', '--check', join(import.meta.dirname, 'newer.patch')];
  expect(() => execFileSync('git', check, { cwd: join(import.meta.dirname, '../..') })).not.toThrow();
});

test('the judge accepts a rollout that nobody noticed', () => {
  const { figures, failures } = judgeRollout(goodRollout(), planned);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ outgrown: 1, requests: 1_000, slowestReadBesideMigrateMilliseconds: 2_700 });
});

test.each<[string, (evidence: RolloutEvidence) => unknown, RegExp]>([
  ['a lost task', ({ tasks }) => set(tasks[1], { statuses: [{ status: 'missing', at: 9000 }] }), /t1 was lost/],
  ['a job that was submitted twice', ({ submits }) => submits.push(...submits.slice(2, 3)), /submitted twice/],
  ['tasks that end late', ({ steps }) => set(steps[0], { seconds: 181 }), /after the upgrade took 181 s to end/],
  ['a stuck workflow', ({ steps }) => steps[1]?.stuck.push('t7'), /t7 was stuck after the way back/],
  ['too few open workflows', ({ steps }) => set(steps[2], { open: 3 }), /only 3 workflows were open/],
  ['a step that was left out', ({ steps }) => steps.pop(), /only 2 of 3 steps/],
  ['an older migrate that says nothing', ({ steps }) => set(steps[1], { printed: '' }), /older migrate did not say/],
  ['a history that the older version refuses', ({ replays }) => replays.refused.push('one'), /does not replay one/],
  ['no replays', ({ replays }) => set(replays, { replayed: 0 }), /no history was replayed/],
  ['versions that do not differ', ({ findings }) => findings.shift(), /no workflow was outgrown/],
  ['a restart that counts', ({ findings }) => findings.push('restarted'), /the reconciler found restarted/],
  ['a failed request', ({ requestFailures }) => requestFailures.push('503: '), /a request failed: 503/],
  ['a reader that held nothing up', ({ migrating }) => set(migrating, { printed: '' }), /did not have to give way/],
  ['locks that nobody watched', ({ migrating }) => set(migrating, { samples: 0 }), /nobody looked/],
  [
    'somebody who waited behind migrate',
    ({ migrating }) => set(migrating, { longestWaitMilliseconds: 2_600 }),
    /waited 2600 ms behind migrate/,
  ],
])('the judge rejects %s', (_, change, objection) => {
  const evidence = goodRollout();
  change(evidence);
  const { failures } = judgeRollout(evidence, planned);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(objection);
});
