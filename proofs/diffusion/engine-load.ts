import { pause } from '@kinora/stack/harness/pause';
import type { RealEngine } from '@kinora/stack/parts/real-engine';

const sampleMilliseconds = 50;
const quietMilliseconds = 1_000;
/** Its answers to health checks cost a little; a step costs whatever the machine gives. */
const quietCpuSeconds = 0.03;

/** The share of a processor that the engine uses for the next second. */
export async function busyShare(engine: RealEngine): Promise<number> {
  const [startedAt, before] = [performance.now(), engine.cpuSeconds()];
  await pause(1_000);
  return (1000 * (engine.cpuSeconds() - before)) / (performance.now() - startedAt);
}

/** How long from `since` (of performance.now) it is until a second begins in which the engine does next to nothing. */
export async function secondsUntilIdle(
  engine: RealEngine,
  since: number,
  patienceSeconds: number,
): Promise<number | null> {
  const samples: { at: number; cpuSeconds: number }[] = [];
  while (performance.now() - since < patienceSeconds * 1000) {
    const [at, cpuSeconds] = [performance.now(), engine.cpuSeconds()];
    // The first from which on next to nothing was used; if it is a second old, that is the one.
    const quiet = samples.find((sample) => cpuSeconds - sample.cpuSeconds <= quietCpuSeconds);
    if (quiet && at - quiet.at >= quietMilliseconds) return (quiet.at - since) / 1000;
    samples.push({ at, cpuSeconds });
    await pause(sampleMilliseconds);
  }
  return null;
}
