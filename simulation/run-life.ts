import { createClient } from './client.ts';
import { CrashPlan } from './crash-plan.ts';
import { judge, judgeCallers, judgeEnds, judgeLostJobs } from './judge.ts';
import type { Life } from './lives.ts';
import { runUntilRest } from './rest.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';
import { createWorld, type World } from './world.ts';

/** A life with everything after it takes less than this, in virtual time. */
const longestLifeMilliseconds = 30 * 60_000;

export interface LivedLife {
  objections: string[];
  /** Where a process could have died. */
  places: readonly string[];
  endedAt: number;
}

/** Lets a life happen, with processes that die at these places, and judges what is left once all is over. */
export async function runLife(
  postgres: SimulatedPostgres,
  life: Life,
  { deaths, began, record }: { deaths: readonly number[]; began: number; record?: (line: string) => void },
): Promise<LivedLife> {
  const plan = new CrashPlan(deaths, () => world.scheduler.changes);
  const world: World = await createWorld(postgres, {
    director: plan,
    began,
    ...(record && { record }),
  });
  const { scheduler } = world;
  try {
    const failures: unknown[] = [];
    let isOver = false;
    void createClient(world)
      .then((client) => life.run(client, world))
      .catch((error: unknown) => failures.push(error))
      .finally(() => (isOver = true));
    const isDone = await runUntilRest(world, {
      isOver: () => isOver,
      isTooLate: () => scheduler.milliseconds - began >= longestLifeMilliseconds,
    });
    const objections = [
      ...(await judge(world)),
      ...(await judgeCallers(world)),
      ...(await judgeLostJobs(world)),
      ...(await judgeEnds(world, life)),
    ];
    objections.push(
      ...failures.map((error) => `the caller met an error: ${error instanceof Error ? error.message : ''}`),
    );
    if (!isDone) objections.push(`it was not over after ${longestLifeMilliseconds / 60_000} min`);
    objections.push(...world.findings.map((kind) => `the reconciler found ${kind}`));
    return { objections, places: plan.places, endedAt: scheduler.milliseconds };
  } finally {
    await world.close();
  }
}
