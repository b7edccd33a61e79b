import { join } from 'node:path';
import { pause } from '@kinora/stack/harness/pause';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer, type PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import { type Caller, createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { copies, type FaultWorld, startFaultWorld } from '../faults/fault-world.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { probeInstallation } from '../faults/probe-installation.ts';
import { queryServer } from '../faults/query-server.ts';
import { listKeys, withStore } from '../list-keys.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { judgeRestore, type RestoreEvidence } from './judge-restore.ts';
import { type RestoreSize, restoreSizes, type Skew } from './restore-size.ts';
import { createEmptyDatabase, createOtherDatabase, sweepUnder } from './sweep-under.ts';
import { restartWithClocks, rightClocks } from './wrong-clocks.ts';

export const proof: Proof = {
  name: 'restore',
  promise:
    'A restored Postgres, an emptied Temporal, a wrong database or a wrong clock costs no task and no video that exists.',
  minutes: 2.5,
  run: (stack, { size, report }) => run(stack, restoreSizes[size], report),
};

const pointInTime = 'a restore of Postgres';
const emptyTemporal = 'an empty Temporal';

async function run(stack: Stack, size: RestoreSize, report: (line: string) => void): Promise<ProofOutcome> {
  const server = await createPostgresServer(join(stack.info.folder, 'postgres-kinora'), await findFreePorts(1));
  try {
    const backup = backupOf(stack, server);
    await runPageCommands('archive', backup);
    const environment = { KINORA_DATABASE_URL: server.urlOf('kinora') };
    const world = await startFaultWorld({ stack, environment, report });
    try {
      return await gather({ world, caller: createCaller(world), server, backup }, size);
    } finally {
      await world.close();
    }
  } finally {
    await server.stop('immediate');
  }
}

/** The variables that the commands of the page on backups read. */
function backupOf({ info }: Stack, server: PostgresServer): Record<string, string> {
  return {
    PRIMARY_URL: server.urlOf('postgres'),
    ARCHIVE: join(info.folder, 'archive'),
    BACKUP: join(info.folder, 'backup'),
    ...server.environment,
  };
}

interface Parts {
  world: FaultWorld;
  caller: Caller;
  server: PostgresServer;
  backup: Record<string, string>;
}

async function gather(parts: Parts, size: RestoreSize): Promise<ProofOutcome> {
  const { world, caller, server } = parts;
  // The clocks are still wrong while an installation is probed: it must work with them.
  const faults = [pointInTime, emptyTemporal, ...size.skews.map(describeSkew)];
  const evidence: Pick<RestoreEvidence, 'probes' | 'rolledBack' | 'sweeps' | 'clocks' | 'objectsSeen'> = {
    probes: [],
    rolledBack: [],
    sweeps: [],
    clocks: [],
    objectsSeen: [],
  };
  const probe = async (fault: string): Promise<void> => {
    evidence.probes.push(await probeInstallation(world, caller, fault));
  };
  let isOver = false;
  const load = caller.keepActive(size.active, () => isOver);
  load.catch(() => undefined); // awaited below
  try {
    const { span, sweep, objects } = await restore(parts, size);
    evidence.rolledBack.push(span);
    evidence.sweeps.push(sweep);
    evidence.objectsSeen.push(...objects);
    await probe(pointInTime);
    await replaceTemporal(world.stack);
    await probe(emptyTemporal);
    let wrong: Skew = {};
    for (const skew of size.skews) {
      world.report(`${describeSkew(skew)} begins`);
      evidence.clocks.push(...(await restartWithClocks(world, { ...rightClocks(wrong), ...skew })));
      wrong = skew;
      await probe(describeSkew(skew));
    }
    await restartWithClocks(world, rightClocks(wrong));
    evidence.objectsSeen.push(...(await keysOf(world.stack)));
    const emptyUrl = await createEmptyDatabase(world, server, 'empty');
    evidence.sweeps.push(await sweepUnder(world, 'an empty database', emptyUrl));
    const otherUrl = await createOtherDatabase(world, server);
    evidence.sweeps.push(await sweepUnder(world, 'the database of another installation', otherUrl));
  } finally {
    isOver = true;
    await Promise.allSettled([load]);
  }
  await load;
  const common = await collectEvidence(world, caller, server, evidence);
  const objectsSeen = [...new Set(evidence.objectsSeen)];
  const objectsLeft = await keysOf(world.stack);
  return judgeRestore({ ...common, ...evidence, objectsSeen, objectsLeft }, { tasks: size.tasks, faults, sweeps: 3 });
}

/**
 * Restores the database to an earlier moment from a base backup and archived log, while Temporal and the bucket keep
 * what came later.
 */
async function restore({ world, caller, server, backup }: Parts, size: RestoreSize) {
  await completeOne(caller);
  await runPageCommands('base-backup', backup);
  await completeOne(caller);
  const [target] = await queryServer<{ text: string; at: number }>(
    server,
    'select now()::text as text, extract(epoch from now())::float8 * 1000 as at',
  );
  if (!target) throw new Error('Postgres returned no time');
  await completeOne(caller); // a video in the bucket that the restored database does not know
  await pause(size.lostSeconds * 1000);
  const objects = await keysOf(world.stack);
  world.report('restoring Postgres');
  const { installation } = world;
  const processes = (['api', 'relay', 'worker'] as const).flatMap((role) =>
    Array.from({ length: copies[role] }, (_, copy) => [role, copy] as const),
  );
  await Promise.all(processes.map(([role, copy]) => installation.stop(role, 'SIGTERM', copy)));
  const span: FaultEvidence['rolledBack'][number] = { from: target.at, until: Date.now() };
  await runPageCommands('restore', { ...backup, TARGET_TIME: target.text });
  const sweep = await sweepUnder(world, 'the restored database', server.urlOf('kinora'));
  await Promise.all(processes.map(([role, copy]) => installation.start(role, {}, copy)));
  return { span, sweep, objects };
}

async function completeOne(caller: Caller): Promise<void> {
  const never = (): boolean => false;
  const task = await caller.create(never);
  if (task) await caller.untilCompleted(task, never);
}

async function replaceTemporal(stack: Stack): Promise<void> {
  const { hostname, port, username } = new URL(stack.info.databaseUrl);
  await stack.stop('temporal');
  await runPageCommands('empty-temporal', {
    TEMPORAL_DATABASE_URL: stack.info.databaseUrl,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: '',
  });
  await stack.start('temporal');
}

function keysOf({ info }: Stack): Promise<string[]> {
  return withStore(info.s3, (client) => listKeys(client, info.s3.bucket));
}

function describeSkew(skew: Skew): string {
  const off = Object.entries(skew).map(([role, seconds]) => `${role} ${seconds > 0 ? '+' : ''}${seconds} s`);
  return `a wrong clock (${off.join(', ')})`;
}
