import { type Random, seededRandom } from '@kinora/stack/harness/seeded-random';
import type { RandomDirector } from './random-director.ts';
import type { World } from './world.ts';

/** Something that breaks, and is mended by the function that it returns. */
type Fault = (world: World, director: RandomDirector, random: Random) => () => void;

/** While two versions that do not fit run side by side, one of so many workflow tasks finds that out. */
const workflowTasksPerOutgrown = 10;

const faults: readonly Fault[] = [
  freeze,
  freeze,
  shutDown,
  (world) => breaks(world.temporal),
  (world) => breaks(world.store),
  (world, _director, random) => breaks(anEngine(world, random)),
  (world, _director, random) => {
    anEngine(world, random).restart();
    return () => undefined;
  },
  (world, _director, random) => {
    const pool = random.pick(world.pools);
    const mends = [...world.engines.values()].filter((one) => one.pool === pool).map(({ engine }) => breaks(engine));
    return () => {
      for (const mend of mends) mend();
    };
  },
  (world, _director, random) => {
    const chance = seededRandom(random.below(2 ** 32));
    world.temporal.isOutgrown = () => chance.below(workflowTasksPerOutgrown) === 0;
    return () => {
      world.temporal.isOutgrown = () => false;
    };
  },
  (world) => {
    world.receiverStatus = 500;
    return () => {
      world.receiverStatus = 200;
    };
  },
  (world, director, random) => {
    const cut = `${aProcess(world, random)} ${random.pick(['postgres', 'locks', 'temporal', 'store'])}`;
    director.broken.add(cut);
    return () => director.broken.delete(cut);
  },
];

/** Lets things break and be mended until `until`, in virtual time. Resolves when all is mended. */
export async function injectFaults(
  world: World,
  director: RandomDirector,
  random: Random,
  until: number,
): Promise<void> {
  const clock = world.scheduler.clockOf(world.visitor);
  const mends: Promise<void>[] = [];
  for (;;) {
    await clock.wait(1_000 + random.below(9_000));
    const left = until - world.scheduler.milliseconds;
    if (left <= 0) break;
    const mend = random.pick(faults)(world, director, random);
    const lasts = Math.min(left, 500 + random.below(random.pick([2_000, 20_000, 20_000, 90_000])));
    mends.push(clock.wait(lasts).then(mend));
  }
  await Promise.all(mends);
  director.isFaulty = false;
}

function freeze(world: World, _director: RandomDirector, random: Random): () => void {
  const process = world.processes.get(aProcess(world, random));
  if (!process) return () => undefined;
  world.scheduler.note(() => `${process.name} freezes`);
  process.isFrozen = true;
  return () => {
    world.scheduler.note(() => `${process.name} goes on`);
    process.isFrozen = false;
  };
}

function shutDown(world: World, _director: RandomDirector, random: Random): () => void {
  const workers = [...world.processes.keys()].filter((slot) => slot.startsWith('worker'));
  void world.shutDown(random.pick(workers));
  return () => undefined;
}

function breaks(part: { isUp: boolean }): () => void {
  part.isUp = false;
  return () => {
    part.isUp = true;
  };
}

function aProcess(world: World, random: Random): string {
  return random.pick([...world.processes.keys()]);
}

function anEngine(world: World, random: Random) {
  return random.pick([...world.engines.values()]).engine;
}
