import { pause } from '@kinora/stack/harness/pause';
import type { RealEngine } from '@kinora/stack/parts/real-engine';

const sampleMilliseconds = 50;
const quietMilliseconds = 1_000;
/** Health checks cost a little processor time; a diffusion step uses as much as the machine has. */
const quietCpuSeconds = 0.03;

/** Returns the share of a processor that the engine uses during the next second. */
export async function busyShare(engine: RealEngine): Promise<number> {
  const [startedAt, before] = [performance.now(), engine.cpuSeconds()];
  await pause(1_000);
  return (1000 * (engine.cpuSeconds() - before)) / (performance.now() - startedAt);
}

/** Returns the seconds from `since` (by performance.now) to the first second in which the engine is idle. */
export async function secondsUntilIdle(
  engine: RealEngine,
  since: number,
  patienceSeconds: number,
): Promise<number | null> {
  const samples: { at: number; cpuSeconds: number }[] = [];
  while (performance.now() - since < patienceSeconds * 1000) {
    const [at, cpuSeconds] = [performance.now(), engine.cpuSeconds()];
    // The earliest sample since which the engine was idle. It counts once it is a second old.
    const quiet = samples.find((sample) => cpuSeconds - sample.cpuSeconds <= quietCpuSeconds);
    if (quiet && at - quiet.at >= quietMilliseconds) return (quiet.at - since) / 1000;
    samples.push({ at, cpuSeconds });
    await pause(sampleMilliseconds);
  }
  return null;
}
