import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { type ProcessGroup, startCpuMeter } from './process-groups.ts';

/** CPU milliseconds per second that each group uses without any load, because idle programs poll. */
type IdleCpu = Readonly<Record<string, number>>;

/** Returns medians of single seconds, because the garbage collection of a program that was just busy is not idle. */
export async function measureIdleCpu(groups: readonly ProcessGroup[], seconds: number): Promise<IdleCpu> {
  const samples: Record<string, number>[] = [];
  while (samples.length < seconds) {
    const readCpu = startCpuMeter(groups);
    const startedAt = performance.now();
    await pause(1_000);
    const cpu = readCpu();
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    samples.push(mapValues(cpu, (milliseconds) => milliseconds / elapsedSeconds));
  }
  return mapValues(samples[0] ?? {}, (_, name) =>
    percentile(
      samples.map((sample) => sample[name] ?? 0),
      50,
    ),
  );
}

/** Returns the CPU milliseconds above idle. Negative ones stay: a limit of 0 would raise the mean of small groups. */
export function withoutIdleCpu(
  cpu: Readonly<Record<string, number>>,
  idle: IdleCpu,
  seconds: number,
): Record<string, number> {
  return mapValues(cpu, (milliseconds, name) => milliseconds - (idle[name] ?? 0) * seconds);
}

function mapValues(
  record: Readonly<Record<string, number>>,
  change: (value: number, name: string) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
