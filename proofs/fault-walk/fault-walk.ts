import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import type { ApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { usualRoles } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { pause } from '@kinora/stack/harness/pause';
import type { Stack } from '@kinora/stack/parts/stack';
import { collectHistory } from '../crash/collect-history.ts';
import { emptyHistory, type History } from '../crash/history.ts';
import { createRecorder } from '../crash/log-recorder.ts';
import { comeToRest } from '../crash/rest.ts';
import { createRows } from '../crash/rows.ts';
import { type Databases, failOver, startDatabases } from '../failover/replicated-databases.ts';
import { type Caller, createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import { startFaultWorld } from '../faults/fault-world.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { readHolder } from '../freeze/read-holder.ts';
import type { Proof, ProofOptions, ProofOutcome } from '../proof.ts';
import { backupOf, completeOne, keysOf, restoreDatabase } from '../restore/restore-database.ts';
import { judgeFaultWalk } from './judge-fault-walk.ts';
import { freezeOne, isFrozen, killOne, probe, type Walk } from './silence-role.ts';
import { failover, restore, type WalkEvidence } from './walk-evidence.ts';

export const proof: Proof = {
  name: 'fault-walk',
  promise: 'Whichever process dies or freezes, and whichever commits Postgres loses, no other accepted task is lost.',
  minutes: 3,
  inGate: 'alone',
  run,
};

/** The least number of tasks: after each fault, one for each endpoint. */
const leastTasks = 40;
/** Few, so that the engines are not what everything waits for. */
const active = 2;

async function run(stack: Stack, { random, report }: ProofOptions): Promise<ProofOutcome> {
  await using databases = closing(
    await startDatabases(stack, (primary) => runPageCommands('archive', backupOf(stack, primary))),
  );
  await using rows = closing(createRows(databases.url, interrupted));
  const history = emptyHistory();
  const holders: Walk['holders'] = [];
  const recorder = createRecorder(history, report);
  await using world = closing(
    await startFaultWorld({
      stack,
      environment: { KINORA_DATABASE_URL: databases.url },
      onLine: (role, line) => {
        recorder.onLine(role, line);
        const holder = role === 'worker' ? readHolder(line) : null;
        if (holder) holders.push(holder);
      },
      report,
    }),
  );
  const silences: Walk['silences'] = [];
  const api = balance(world.apis, (copy) => isFrozen({ silences }, 'api', copy));
  const caller = createCaller({ api });
  const walk: Walk = { world: { ...world, api }, caller, rows, random, holders, silences, probes: [] };
  return judgeFaultWalk(await gather(walk, databases, history), leastTasks);
}

async function gather(walk: Walk, databases: Databases, history: History): Promise<WalkEvidence> {
  const { world, caller, rows, silences, holders, probes } = walk;
  const { stack, installation, report } = world;
  await underLoad(caller, async () => {
    await eventually('a relay ends a round', () => world.rounds.ended.length > 0);
    for (const role of usualRoles) {
      await killOne(walk, role);
      await freezeOne(walk, role);
    }
  });
  report('every role was killed and frozen; waiting until all work is finished');
  const rest = async (): Promise<void> => {
    await caller.settle();
    await comeToRest({ rows, stack, report, signal: interrupted }, hangLimitMilliseconds / 1000);
  };
  await rest();
  await pause(1_100); // The store rounds times to whole seconds, so an object could look too young for the sweep.
  await installation.command('sweep', '--older-than', '0');
  // A copy, because what comes later is added to the same history.
  const before = structuredClone(withCauses(await collectHistory({ rows, stack, history }), walk));
  const objectsSeen = await keysOf(stack);

  history.findings = [];
  const { lost, restored } = await underLoad(caller, async () => {
    report(`${failover} begins`);
    const lost = await failOver(databases, () => completeOne(caller));
    await probe(walk, failover);
    const server = databases.current();
    const restored = await restoreDatabase(
      { world, caller, server, backup: backupOf(stack, server) },
      async () => undefined,
    );
    await probe(walk, restore);
    return { lost, restored };
  });
  const rolledBack = [lost.span, restored.span];
  const common = await collectEvidence(world, caller, databases.current(), { probes, rolledBack });
  await rest();
  const after = await collectHistory({ rows, stack, history });
  return {
    ...common,
    lostBytes: lost.bytes,
    takenAway: null,
    sweeps: [restored.sweep],
    clocks: [],
    objectsSeen: [...new Set([...objectsSeen, ...restored.objects])],
    objectsLeft: await keysOf(stack),
    silences,
    holders,
    rounds: world.rounds.ended,
    before,
    // After a loss of commits the reconciler has to restart tasks, but the counts of what is left are right.
    after: { ...after, findings: after.findings.filter(({ kind }) => kind === 'miscounted') },
  };
}

/** Adds who asked for the tasks, and what may have cost an attempt. */
function withCauses(history: History, { caller, silences }: Walk): History {
  return {
    ...history,
    posts: caller.tasks.map(({ taskId }) => ({ clientId: taskId, taskId })),
    tasks: history.tasks.map((task) => ({ ...task, clientId: task.id })),
    kills: silences.map(({ role, from, until }) => ({ target: role, failpoint: null, at: from, readyAt: until })),
  };
}

/** Sends each request to the next copy of the API that is up, as a load balancer does. */
function balance(apis: readonly ApiClient[], isDown: (copy: number) => boolean): ApiClient {
  let turn = 0;
  const next = (): ApiClient => {
    const up = apis.filter((_, copy) => !isDown(copy));
    turn += 1;
    const api = up[turn % up.length];
    if (!api) throw new Error('no copy of the API is up');
    return api;
  };
  return new Proxy(next(), { get: (_, name) => Reflect.get(next(), name) });
}

/** Keeps some tasks active during the work. */
async function underLoad<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const load = caller.keepActive(active, () => isOver);
  load.catch(() => undefined); // awaited below
  try {
    return await work();
  } finally {
    isOver = true;
    await load;
  }
}
