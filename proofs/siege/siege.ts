import { readFileSync } from 'node:fs';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { isEmpty } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { kilobytesIn, residentBytes } from '@kinora/stack/harness/resident-bytes';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome } from '../proof.ts';
import { startHonestTenant } from './honest-tenant.ts';
import { type HostileTenant, startHostileTenant } from './hostile-tenant.ts';
import { judgeSiege } from './judge-siege.ts';
import type { AttackName, SiegeEvidence, SiegeWindow } from './siege-evidence.ts';
import { type SiegeSize, sizes } from './siege-size.ts';
import { startSiegeWorld } from './siege-world.ts';

export const proof: Proof = {
  name: 'siege',
  promise: 'A hostile tenant with a quarter of a core does not disturb another one that uses all of its limits.',
  minutes: 2.5,
  notYetKept:
    'on two cores, a flood makes the other tenant wait, and the API process exceeds 600 MB (docs/performance.md)',
  run: (stack, { size, report }) => run(stack, sizes[size], report),
};

const sampleMilliseconds = 100;
/** The time after a siege that counts for nothing: sockets close, and what was begun ends. */
const settleMilliseconds = 500;

async function run(stack: Stack, size: SiegeSize, report: (line: string) => void): Promise<ProofOutcome> {
  let apiExits = 0;
  await using cleanup = new AsyncDisposableStack();
  const world = await startSiegeWorld(stack, size, () => (apiExits += 1), report);
  cleanup.defer(() => world.close());
  const apiPid = world.installation.process('api')?.pid;
  const hostile = await startHostileTenant(world.hostile);
  cleanup.defer(() => hostile.close());
  const honest = startHonestTenant(world.honest);
  cleanup.defer(() => honest.close());
  const memory = sampleMemory(apiPid);
  cleanup.defer(() => clearInterval(memory.timer));
  await pause(size.warmUpSeconds * 1000);

  const windows: SiegeWindow[] = [];
  const cpu = { seconds: 0, elapsedSeconds: 0 };
  const beAlone = async (round: number): Promise<void> => {
    await settle(world.database);
    const from = Date.now();
    await pause(size.aloneSeconds * 1000);
    windows.push({ round, from, to: Date.now(), deeds: {}, apiBytes: memory.mostSince(from) });
  };
  const besiege = async (round: number, { attacks, seconds }: SiegeSize['sieges'][number]): Promise<void> => {
    const before = hostile.cage.cpuSeconds();
    const from = Date.now();
    const { deeds, to } = await attack(hostile, attacks, seconds);
    cpu.seconds += hostile.cage.cpuSeconds() - before;
    cpu.elapsedSeconds += (Date.now() - from) / 1000;
    windows.push({ round, from, to, deeds, apiBytes: memory.mostSince(from) });
    report(`round ${round + 1}, ${attacks.join(' + ')}: the API uses ${Math.round(residentBytes(apiPid) / 1e6)} MB`);
    await pause(settleMilliseconds);
  };
  for (let round = 0; round < size.rounds; round += 1) {
    for (const [index, siege] of size.sieges.entries()) {
      if (index === 0 || size.isAloneBeforeEach) await beAlone(round);
      await besiege(round, siege);
    }
  }
  const apiPeakBytes = kilobytesIn(statusOf(apiPid), 'VmHWM') * 1024;
  const evidence: SiegeEvidence = {
    requests: await honest.collect(),
    windows,
    rows: world.rows,
    apiPeakBytes,
    apiExits,
    hostileCores: cpu.seconds / Math.max(1, cpu.elapsedSeconds),
    throttledPeriods: hostile.cage.throttledPeriods(),
  };
  return judgeSiege(evidence, size);
}

async function attack(
  hostile: HostileTenant,
  attacks: readonly AttackName[],
  seconds: number,
): Promise<Pick<SiegeWindow, 'deeds' | 'to'>> {
  await hostile.begin(attacks);
  await pause(seconds * 1000);
  const to = Date.now();
  return { deeds: await hostile.end(), to };
}

/** Waits until no statement of a siege runs any more, at most as long as the API lets one run. */
async function settle(database: Client): Promise<void> {
  await becomesTrueWithin(hangLimitMilliseconds, () =>
    isEmpty(
      database,
      `select 1 from pg_stat_activity
       where application_name = 'kinora-api' and state = 'active' and query_start < now() - interval '300 milliseconds'`,
    ),
  );
}

function sampleMemory(pid: number | undefined) {
  const samples: { at: number; bytes: number }[] = [];
  const timer = setInterval(() => samples.push({ at: Date.now(), bytes: residentBytes(pid) }), sampleMilliseconds);
  const mostSince = (from: number): number =>
    samples.reduce((most, { at, bytes }) => (at >= from ? Math.max(most, bytes) : most), 0);
  return { timer, mostSince };
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // the process has exited
  }
}
