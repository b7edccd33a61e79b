import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import type { Stack } from '@kinora/stack/parts/stack';
import { startBareProgram } from '../bare/start-bare-program.ts';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { round } from '../judge-baseline.ts';
import { program, startCpuMeter } from '../process-groups.ts';

const startsOf: Record<BenchSize, number> = { quick: 3, normal: 5, full: 9 };
/** Starts of bare Node per start of the roles. */
const bareStarts = 5;
/** 5 s: what a role loads in the background after it is ready has been loaded by then. */
const restMilliseconds = 5_000;
const roles = ['api', 'relay', 'worker', 'animatic'] as const;
const bareName = 'bare Node';

export const footprint: Bench = {
  about: 'the memory of each role at rest, and the CPU time of its start, compared with bare Node',
  run,
};

interface Start {
  cpuMilliseconds: number;
  megabytes: number;
}

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const installation = await startInstallation({ stack, seed, roles: [], onProgress: report });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => installation.close());
  const starts = new Map<string, Start[]>([...roles, bareName].map((name) => [name, []]));
  // All programs start at once, because most of the time goes by at rest. The first start may be slower than the
  // others, because it fills the cache of compiled code; the medians leave it out.
  for (let number = 1; number <= startsOf[size]; number += 1) {
    const measured = await Promise.all([
      ...roles.map(async (role) => [role, await measureRole(installation, role)] as const),
      measureBareNode(stack).then((start) => [bareName, start] as const),
    ]);
    for (const [name, start] of measured) starts.get(name)?.push(start);
    report(`start ${number} of ${startsOf[size]}`);
  }
  const medians = new Map(
    [...starts].map(([name, of]) => [
      name,
      {
        cpuMilliseconds: medianOf(of, ({ cpuMilliseconds }) => cpuMilliseconds),
        megabytes: medianOf(of, ({ megabytes }) => megabytes),
      },
    ]),
  );
  report('              MB  CPU ms until ready');
  for (const [name, { megabytes, cpuMilliseconds }] of medians)
    report(`${name.padEnd(10)} ${megabytes.toFixed(0).padStart(5)} ${cpuMilliseconds.toFixed(0).padStart(10)}`);
  const bare = medians.get(bareName) ?? { megabytes: Number.NaN, cpuMilliseconds: Number.NaN };
  const measured = roles.map((role) => [role, medians.get(role) ?? bare] as const);
  return {
    judged: Object.fromEntries(
      measured.flatMap(([role, { megabytes, cpuMilliseconds }]) => [
        [`${role}: memory ratio`, round(megabytes / bare.megabytes)],
        [`${role}: start CPU ratio`, round(cpuMilliseconds / bare.cpuMilliseconds)],
      ]),
    ),
    shown: Object.fromEntries(
      [...medians].flatMap(([name, { megabytes, cpuMilliseconds }]) => [
        [`${name}: MB`, round(megabytes)],
        [`${name}: CPU ms until ready`, round(cpuMilliseconds)],
      ]),
    ),
    checks: 0,
    failures: [],
  };
}

function medianOf(starts: readonly Start[], read: (start: Start) => number): number {
  return percentile(starts.map(read), 50);
}

async function measureRole(installation: Installation, role: RoleName): Promise<Start> {
  const readCpu = startCpuMeter([program(role, () => installation.process(role)?.pid)]);
  const { pid } = await installation.start(role);
  const { [role]: cpuMilliseconds = 0 } = readCpu();
  await pause(restMilliseconds);
  const megabytes = residentBytes(pid) / 1e6;
  await installation.stop(role);
  return { cpuMilliseconds, megabytes };
}

/**
 * Starts Node several times with a script that only stays alive, and measures the last one at rest, like a role. A
 * start takes some 40 ms, and the system shows the CPU time of another process in steps of 10 ms, so Node reads its own.
 */
async function measureBareNode(stack: Stack): Promise<Start> {
  const script = 'console.log(JSON.stringify(process.cpuUsage())); setInterval(() => undefined, 1_000_000)';
  const cpu: number[] = [];
  for (;;) {
    const { pid, readyLine, stop } = await startBareProgram(stack, {
      name: bareName,
      args: ['--eval', script],
      ready: /^\{/,
    });
    const { user, system } = JSON.parse(readyLine) as NodeJS.CpuUsage;
    cpu.push((user + system) / 1000);
    const isLast = cpu.length === bareStarts;
    if (isLast) await pause(restMilliseconds);
    const megabytes = residentBytes(pid) / 1e6;
    await stop();
    if (isLast) return { cpuMilliseconds: percentile(cpu, 50), megabytes };
  }
}
