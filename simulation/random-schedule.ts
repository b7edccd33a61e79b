import { createHash } from 'node:crypto';
import { seededRandom } from '@kinora/stack/harness/seeded-random';
import { clocksApart } from './clocks-apart.ts';
import { injectFaults } from './faults.ts';
import { judge, judgeCallers, judgeFindings } from './judge.ts';
import { ProgressWatch } from './progress-watch.ts';
import { RandomDirector } from './random-director.ts';
import { runUntilRest } from './rest.ts';
import { beginning } from './scheduler.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';
import { sendTraffic } from './traffic.ts';
import { createWorld } from './world.ts';

const trafficMilliseconds = 60_000;
/** How long the world may take to come to rest after the last fault. */
const restMilliseconds = 40 * 60_000;
const slots = ['api 0', 'api 1', 'relay 0', 'relay 1', 'worker 0', 'worker 1', 'worker 2'];
/** The slots of each engine. */
const pools = { alpha: [3, 2], beta: [2], gamma: [4] };
/** How far the clocks are apart, at most. Most schedules have one clock: work waits while clocks disagree. */
const clockOffsets = [0, 0, 0, 0, 5_000, 60_000, 600_000];

export interface RanSchedule {
  objections: string[];
  /** Of the whole history. */
  hash: string;
  tasks: number;
  deaths: number;
  losses: number;
  virtualSeconds: number;
}

interface ScheduleOptions {
  seed: number;
  tasks: number;
  record?: ((line: string) => void) | undefined;
}

/** Runs one random schedule on an empty database, and judges what is left once all is over. */
export async function runSchedule(
  postgres: SimulatedPostgres,
  { seed, tasks, record }: ScheduleOptions,
): Promise<RanSchedule> {
  const random = seededRandom(seed);
  const chanceOf = () => seededRandom(random.below(2 ** 32));
  const clockOffsetOf = clocksApart(random, ['postgres', ...slots], random.pick(clockOffsets));
  const director = new RandomDirector(chanceOf());
  const hash = createHash('sha256');
  const world = await createWorld(postgres, {
    director,
    seed: random.below(2 ** 32),
    pools,
    slots,
    clockOffsetOf,
    record: (line) => {
      hash.update(`${line}\n`);
      record?.(line);
    },
  });
  const { scheduler } = world;
  const objections: string[] = [];
  try {
    let isOver = false;
    let lastFaultAt = Number.POSITIVE_INFINITY;
    const until = beginning + trafficMilliseconds;
    const faults = injectFaults(world, director, chanceOf(), until).then(() => (lastFaultAt = scheduler.milliseconds));
    void Promise.all([sendTraffic(world, chanceOf(), tasks, trafficMilliseconds), faults])
      .catch((error: unknown) => objections.push(`a caller met an error: ${String(error)}`))
      .finally(() => (isOver = true));
    const progress = new ProgressWatch(world);
    const isDone = await runUntilRest(world, {
      isOver: () => isOver,
      isTooLate: () => progress.objections.length > 0 || scheduler.milliseconds - lastFaultAt > restMilliseconds,
      async look() {
        if (scheduler.milliseconds >= lastFaultAt) await progress.look();
      },
    });
    objections.push(...progress.objections, ...(await judgeCallers(world)));
    objections.push(...judgeFindings(world));
    if (isDone) objections.push(...(await judge(world)));
    else if (progress.objections.length === 0)
      objections.push(`it was not at rest ${restMilliseconds / 60_000} min after the last fault`);
    return {
      objections,
      hash: hash.digest('hex'),
      tasks: world.accepted.length,
      deaths: director.deaths,
      losses: director.losses,
      virtualSeconds: Math.round((scheduler.milliseconds - beginning) / 1_000),
    };
  } finally {
    await world.close();
  }
}
