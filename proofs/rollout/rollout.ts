import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { buildCommit } from '@kinora/stack/harness/build-commit';
import { closing } from '@kinora/stack/harness/closing';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import { connectTo } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import { type Caller, createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import { copies, type FaultWorld, startFaultWorld } from '../faults/fault-world.ts';
import { queryServer } from '../faults/query-server.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { createFront, type Front } from './front.ts';
import { judgeRollout, type Migrating, type RolloutEvidence, type RolloutStep } from './judge-rollout.ts';
import { olderCommit } from './older-commit.ts';
import { replayOn } from './replay-on.ts';
import { watchLocks } from './watch-locks.ts';

export const proof: Proof = {
  name: 'rollout',
  promise:
    'An upgrade with changed tables and workflows, and the way back, lose no task, repeat no job and fail no request.',
  minutes: 8,
  run: (stack, { report }) => run(stack, report),
};

const active = 24;
const readerSeconds = 60;

type Role = 'relay' | 'worker' | 'api';
const plan: readonly { name: string; to: 'older' | 'newer'; roles: readonly Role[] }[] = [
  { name: 'the upgrade', to: 'newer', roles: ['relay', 'worker', 'api'] },
  { name: 'the way back', to: 'older', roles: ['api', 'worker', 'relay'] },
  { name: 'the second upgrade', to: 'newer', roles: ['worker', 'api', 'relay'] },
];

async function run(stack: Stack, report: (line: string) => void): Promise<ProofOutcome> {
  report('building both versions');
  const builds = {
    older: buildCommit(olderCommit),
    newer: buildCommit('HEAD', { patch: join(import.meta.dirname, 'newer.patch') }),
  };
  const replays = await replayOn(builds.older);
  const findings: string[] = [];
  await using world = closing(
    await startFaultWorld({
      stack,
      environment: {},
      build: builds.older,
      report,
      onLine: (role, text) => {
        const line = role === 'relay' ? readLogLine(text) : null;
        if (line?.event === 'reconciler.finding') findings.push(String(line['kind']));
      },
    }),
  );
  const { installation } = world;
  const database = { urlOf: () => stack.info.databaseUrl };
  const front = createFront(world.apis);
  const caller = createCaller(front);
  let isOver = false;
  const load = caller.keepActive(active, () => isOver);
  load.catch(() => undefined); // awaited below
  const steps: RolloutStep[] = [];
  let migrating: Migrating;
  try {
    await becomesTrueWithin(hangLimitMilliseconds, () => openTasks(caller).length === active);
    installation.use(builds.newer);
    migrating = await migrateBesideReader(world, front);
    for (const { name, to, roles } of plan) {
      report(`${name} begins`);
      installation.use(builds[to]);
      const printed = await installation.command('migrate');
      const open = await countOpen(database);
      for (const role of roles)
        for (let copy = 0; copy < copies[role]; copy += 1) await replace(world, front, role, copy);
      steps.push({ name, printed, open, ...(await waitForOpen(caller)) });
      report(`${name} has ended: ${JSON.stringify(steps.at(-1))}`);
    }
  } finally {
    isOver = true;
    await Promise.allSettled([load]);
  }
  await load;
  const { requests, failures } = front;
  const common = await collectEvidence(world, caller, database, { probes: [], rolledBack: [] });
  const evidence: RolloutEvidence = {
    ...common,
    replays,
    steps,
    migrating,
    findings,
    requests,
    requestFailures: failures,
  };
  return judgeRollout(evidence, { tasks: 100, open: 20 });
}

async function replace({ installation }: FaultWorld, front: Front, role: Role, copy: number): Promise<void> {
  if (role === 'api') front.setInService(copy, false);
  await installation.stop(role, 'SIGTERM', copy);
  await installation.start(role, {}, copy);
  if (role === 'api') front.setInService(copy, true);
}

/** Migrates while somebody else reads the tasks in one long transaction, and everybody goes on working. */
async function migrateBesideReader(world: FaultWorld, front: Front): Promise<Migrating> {
  world.report('migrating beside a reader');
  const { databaseUrl } = world.stack.info;
  await using reader = await connectTo(databaseUrl);
  await reader.query('begin');
  await reader.query('select count(*) from tasks');
  front.slowestReadMilliseconds = 0;
  let isOver = false;
  const migrated = world.installation.command('migrate').finally(() => {
    isOver = true;
  });
  migrated.catch(() => undefined); // awaited below
  const locks = watchLocks(databaseUrl, () => isOver);
  locks.catch(() => undefined); // awaited below
  await pause(readerSeconds * 1000);
  await reader.query('rollback');
  const printed = await migrated;
  return { printed, slowestReadMilliseconds: Math.round(front.slowestReadMilliseconds), ...(await locks) };
}

/** Waits until every task that is open now has ended. */
async function waitForOpen(caller: Caller): Promise<Pick<RolloutStep, 'stuck' | 'seconds'>> {
  const open = openTasks(caller);
  const begunAt = Date.now();
  const left = () => open.filter((task) => openTasks(caller).includes(task));
  await becomesTrueWithin(hangLimitMilliseconds, () => left().length === 0);
  return { stuck: left().map(({ taskId }) => taskId), seconds: Math.round((Date.now() - begunAt) / 1000) };
}

function openTasks({ tasks }: Caller): Caller['tasks'] {
  return tasks.filter(({ statuses }) => {
    const status = statuses.at(-1)?.status ?? 'queued';
    return status === 'queued' || status === 'in_progress';
  });
}

async function countOpen(database: Pick<PostgresServer, 'urlOf'>): Promise<number> {
  const [row] = await queryServer<{ open: number }>(
    database,
    'select count(*)::int as open from open_tasks where admitted_at is not null',
  );
  return row?.open ?? 0;
}
