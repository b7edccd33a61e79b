import { join } from 'node:path';
import { closing } from '@kinora/stack/harness/closing';
import { pause } from '@kinora/stack/harness/pause';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import { createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import { startFaultWorld } from '../faults/fault-world.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { probeInstallation } from '../faults/probe-installation.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { judgeRestore, type RestoreEvidence } from './judge-restore.ts';
import { backupOf, keysOf, type RestoreParts, restoreDatabase } from './restore-database.ts';
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
    await using world = closing(await startFaultWorld({ stack, environment, report }));
    return await gather({ world, caller: createCaller(world), server, backup }, size);
  } finally {
    await server.stop('immediate');
  }
}

async function gather(parts: RestoreParts, size: RestoreSize): Promise<ProofOutcome> {
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
    const { span, sweep, objects } = await restoreDatabase(parts, () => pause(size.lostSeconds * 1000));
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

function describeSkew(skew: Skew): string {
  const { isAlone, ...seconds } = skew;
  const off = Object.entries(seconds).map(([role, ahead]) => `${role} ${ahead > 0 ? '+' : ''}${ahead} s`);
  return `a wrong clock (${off.join(', ')}${isAlone ? ', the only one' : ''})`;
}
