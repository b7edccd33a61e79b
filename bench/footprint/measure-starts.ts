import type { Installation, RoleName } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import type { Stack } from '@kinora/stack/parts/stack';
import { startBareProgram } from '../bare/start-bare-program.ts';
import type { BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { round } from '../judge-baseline.ts';
import { program, startCpuMeter } from '../process-groups.ts';
import { sum } from '../sum.ts';
import type { FootprintWorld } from './footprint-world.ts';

const startsOf: Record<BenchSize, number> = { quick: 5, normal: 5, full: 9 };
/** Starts of bare Node per start of the roles. */
const bareStarts = 5;
/** 5 s: what a role loads in the background after it is ready has been loaded by then. */
const restMilliseconds = 5_000;
const roles = ['api', 'relay', 'worker', 'animatic'] as const;
const bareName = 'bare Node';

interface Start {
  cpuMilliseconds: number;
  /** Wall-clock time until the program is ready. */
  seconds: number;
  megabytes: number;
}

/** Measures the memory of each role at rest, and the time and CPU time of its start, compared with bare Node. */
export async function measureStarts(world: FootprintWorld): Promise<Pick<BenchOutcome, 'judged' | 'shown'>> {
  const { stack, installation, size, report } = world;
  const starts = new Map<string, Start[]>([...roles, bareName].map((name) => [name, []]));
  // One after the other, because they would slow each other down; the first also fills the cache of compiled code.
  for (let number = 1; number <= startsOf[size]; number += 1) {
    const started: Omit<Start, 'megabytes'>[] = [];
    for (const role of roles) started.push(await startRole(installation, role));
    const bareStart = await measureBareNode(stack);
    const measured: [string, Start][] = [[bareName, bareStart]];
    for (const [index, role] of roles.entries()) {
      const start = started[index];
      const megabytes = residentBytes(installation.process(role)?.pid) / 1e6;
      if (start) measured.push([role, { ...start, megabytes }]);
      await installation.stop(role);
    }
    for (const [name, start] of measured) starts.get(name)?.push(start);
    report(`start ${number} of ${startsOf[size]}`);
  }
  const summaries = new Map(
    [...starts].map(([name, of]) => [
      name,
      {
        cpuMilliseconds: meanOf(of.map(({ cpuMilliseconds }) => cpuMilliseconds)),
        seconds: medianOf(of, ({ seconds }) => seconds),
        megabytes: medianOf(of, ({ megabytes }) => megabytes),
      },
    ]),
  );
  for (const [name, { megabytes, seconds, cpuMilliseconds }] of summaries)
    report(
      `${name}: ${megabytes.toFixed(0)} MB, ready in ${seconds.toFixed(2)} s, ${cpuMilliseconds.toFixed(0)} ms CPU`,
    );
  const bare = summaries.get(bareName) ?? { megabytes: Number.NaN, seconds: Number.NaN, cpuMilliseconds: Number.NaN };
  const measured = roles.map((role) => [role, summaries.get(role) ?? bare] as const);
  return {
    judged: Object.fromEntries(
      measured.flatMap(([role, { megabytes, cpuMilliseconds }]) => [
        [`${role}: memory ratio`, round(megabytes / bare.megabytes)],
        [`${role}: start CPU ratio`, round(cpuMilliseconds / bare.cpuMilliseconds)],
      ]),
    ),
    shown: Object.fromEntries(
      [...summaries].flatMap(([name, { megabytes, seconds, cpuMilliseconds }]) => [
        [`${name}: MB`, round(megabytes)],
        [`${name}: s until ready`, round(seconds)],
        [`${name}: CPU ms until ready`, round(cpuMilliseconds)],
      ]),
    ),
  };
}

/** A mean, because a start takes its least time or two fifths more, and a median falls on either side by chance. */
function meanOf(milliseconds: readonly number[]): number {
  return sum(milliseconds) / milliseconds.length;
}

function medianOf(starts: readonly Start[], read: (start: Start) => number): number {
  return percentile(starts.map(read), 50);
}

async function startRole(installation: Installation, role: RoleName): Promise<Omit<Start, 'megabytes'>> {
  const readCpu = startCpuMeter([program(role, () => installation.process(role)?.pid)]);
  const startedAt = performance.now();
  await installation.start(role);
  const seconds = (performance.now() - startedAt) / 1000;
  const { [role]: cpuMilliseconds = 0 } = readCpu();
  return { cpuMilliseconds, seconds };
}

/**
 * Starts Node several times with a script that only stays alive, and measures the last one at rest. The roles rest in
 * the same time. A start takes some 40 ms, and the system shows the CPU time of another process in steps of 10 ms, so
 * Node reads its own.
 */
async function measureBareNode(stack: Stack): Promise<Start> {
  const script = 'console.log(JSON.stringify(process.cpuUsage())); setInterval(() => undefined, 1_000_000)';
  const cpu: number[] = [];
  const waited: number[] = [];
  for (;;) {
    const startedAt = performance.now();
    const { pid, readyLine, stop } = await startBareProgram(stack, {
      name: bareName,
      args: ['--eval', script],
      ready: /^\{/,
    });
    waited.push((performance.now() - startedAt) / 1000);
    const { user, system } = JSON.parse(readyLine) as NodeJS.CpuUsage;
    cpu.push((user + system) / 1000);
    const isLast = cpu.length === bareStarts;
    if (isLast) await pause(restMilliseconds);
    const megabytes = residentBytes(pid) / 1e6;
    await stop();
    if (isLast) return { cpuMilliseconds: meanOf(cpu), seconds: percentile(waited, 50), megabytes };
  }
}
