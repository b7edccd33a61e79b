import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { closing } from '@kinora/stack/harness/closing';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import { pause } from '@kinora/stack/harness/pause';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import { createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import type { FaultEvidence, Probe } from '../faults/fault-evidence.ts';
import { type FaultWorld, startFaultWorld } from '../faults/fault-world.ts';
import { probeInstallation } from '../faults/probe-installation.ts';
import { queryServer } from '../faults/query-server.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { type FailoverFault, type FailoverSize, failoverSizes } from './failover-size.ts';
import { type FailoverEvidence, judgeFailover } from './judge-failover.ts';
import { type Databases, failOver, type Lost, startDatabases } from './replicated-databases.ts';

export const proof: Proof = {
  name: 'failover',
  promise:
    'If Postgres falls silent, turns read-only or fails over to a replica, only commits that the replica lacks are lost.',
  minutes: 2.5,
  run: (stack, { size, report }) => run(stack, failoverSizes[size], report),
};

/** The commits of this time are lost with the primary. */
const lostMilliseconds = 1_500;

async function run(stack: Stack, size: FailoverSize, report: (line: string) => void): Promise<ProofOutcome> {
  await using databases = closing(await startDatabases(stack));
  let takenAway = 0;
  await using world = closing(
    await startFaultWorld({
      stack,
      environment: { KINORA_DATABASE_URL: databases.url },
      onLine: (role, line) => {
        if (role === 'relay' && readLogLine(line)?.event === 'attempt.worker_gone') takenAway += 1;
      },
      report,
    }),
  );
  const evidence = await gather(world, databases, size);
  return judgeFailover({ ...evidence, takenAway }, size);
}

async function gather(
  world: FaultWorld,
  databases: Databases,
  size: FailoverSize,
): Promise<Omit<FailoverEvidence, 'takenAway'>> {
  const caller = createCaller(world);
  let isOver = false;
  const load = caller.keepActive(size.active, () => isOver);
  load.catch(() => undefined); // awaited below
  const probes: Probe[] = [];
  const rolledBack: FaultEvidence['rolledBack'] = [];
  let lostBytes = 0;
  try {
    await pause(3_000); // so that the first fault meets tasks in every stage
    for (const fault of size.faults) {
      world.report(`${fault} begins`);
      const lost = await causes[fault](databases, size.faultSeconds * 1000);
      if (lost) rolledBack.push(lost.span);
      lostBytes += lost?.bytes ?? 0;
      probes.push(await probeInstallation(world, caller, fault));
    }
    // How many tasks there are must not depend on how fast the machine is.
    await becomesTrueWithin(hangLimitMilliseconds, () => caller.tasks.length >= size.tasks);
  } finally {
    isOver = true;
    await Promise.allSettled([load]);
  }
  await load;
  const evidence = await collectEvidence(world, caller, databases.current(), { probes, rolledBack });
  return { ...evidence, lostBytes };
}

const causes: Record<FailoverFault, (databases: Databases, milliseconds: number) => Promise<Lost | null>> = {
  'a black hole': async ({ front }, milliseconds) => {
    await front.set('black-hole');
    await pause(milliseconds);
    await front.vanish();
    return null;
  },
  'a read-only primary': async ({ primary }, milliseconds) => {
    await setReadOnly(primary, true);
    await pause(milliseconds);
    await setReadOnly(primary, false);
    return null;
  },
  'a failover': (databases) => failOver(databases, () => pause(lostMilliseconds)),
};

async function setReadOnly(server: PostgresServer, isReadOnly: boolean): Promise<void> {
  await queryServer(server, `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await queryServer(server, 'select pg_reload_conf()');
}
