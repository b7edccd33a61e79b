import { percentile } from '@kinora/stack/harness/percentile';
import { measureIdleCpu, withoutIdleCpu } from './idle-cpu.ts';
import { type ProcessGroup, startCpuMeter } from './process-groups.ts';
import type { LoadResult } from './send-load.ts';
import { sum } from './sum.ts';

/** One program under load: Kinora, or its bare counterpart. */
export interface Contestant {
  name: string;
  /** The processes that do the work for this program. */
  groups: readonly ProcessGroup[];
  /** Sends load until caches and connections are filled and Node has compiled the hot code; this is not measured. */
  warmUp(): Promise<unknown>;
  /** Sends one round of load and waits until all of its work is done. */
  run(): Promise<LoadResult>;
  /** Closes its connections, after the last round. */
  close?(): void;
}

/** The medians of a contestant's rounds. */
export interface Measured {
  name: string;
  /** CPU microseconds per request, of all groups. */
  cpuMicroseconds: number;
  cpuMicrosecondsByGroup: Record<string, number>;
  perSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
}

/**
 * Runs the contestants in turn, round by round, so that a slow phase of the machine hits all of them alike. Many short
 * rounds agree better from run to run than a few long ones. After the last round, the idle CPU of all groups is measured
 * for `idleSeconds` and subtracted from their CPU time in each round. It is not measured earlier, because a worker is
 * still busy with itself for several seconds after its first tasks.
 */
export async function alternate(
  contestants: readonly Contestant[],
  rounds: number,
  report: (line: string) => void,
  { idleSeconds = 0 } = {},
): Promise<Measured[]> {
  const measured = contestants.map(({ name }) => ({ name, rounds: [] as Round[] }));
  for (const contestant of contestants) await contestant.warmUp();
  for (let number = 1; number <= rounds; number += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const readCpu = startCpuMeter(contestant.groups);
      const startedAt = performance.now();
      const load = await contestant.run();
      const seconds = (performance.now() - startedAt) / 1000;
      const cpu = readCpu();
      measured[index]?.rounds.push({ load, cpu, seconds });
    }
    report(`round ${number} of ${rounds}`);
  }
  for (const contestant of contestants) contestant.close?.();
  const allGroups = contestants.flatMap(({ groups }) => groups);
  const idle = idleSeconds > 0 ? await measureIdleCpu(allGroups, idleSeconds) : {};
  if (idleSeconds > 0) report(`idle, CPU ms per second: ${listOf(idle)}`);
  return measured.map(({ name, rounds: of }) =>
    summarise(
      name,
      of.map((round) => ({ ...round, cpu: withoutIdleCpu(round.cpu, idle, round.seconds) })),
    ),
  );
}

interface Round {
  load: LoadResult;
  cpu: Record<string, number>;
  /** How long the CPU time was counted: the time of the load, and of a rest after it. */
  seconds: number;
}

function summarise(name: string, rounds: readonly Round[]): Measured {
  const median = (read: (round: Round) => number): number => percentile(rounds.map(read), 50);
  const groups = Object.keys(rounds[0]?.cpu ?? {});
  return {
    name,
    cpuMicroseconds: median(({ load, cpu }) => (1000 * sum(Object.values(cpu))) / load.requests),
    cpuMicrosecondsByGroup: Object.fromEntries(
      groups.map((group) => [group, median(({ load, cpu }) => (1000 * (cpu[group] ?? 0)) / load.requests)]),
    ),
    perSecond: median(({ load }) => load.requests / load.seconds),
    p50Milliseconds: median(({ load }) => load.p50Milliseconds),
    p99Milliseconds: median(({ load }) => load.p99Milliseconds),
  };
}

function listOf(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure.toFixed(1)}`)
    .join(', ');
}
