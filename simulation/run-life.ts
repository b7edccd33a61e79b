import { seededRandom } from '@kinora/stack/harness/seeded-random';
import { createClient } from './client.ts';
import { clocksApart } from './clocks-apart.ts';
import { CrashPlan } from './crash-plan.ts';
import { judge, judgeCallers, judgeEnds, judgeFindings, judgeLostJobs } from './judge.ts';
import type { Life } from './lives.ts';
import { runUntilRest } from './rest.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';
import { createWorld, type World } from './world.ts';

/** A life with everything after it takes less than this, in virtual time. */
const longestLifeMilliseconds = 30 * 60_000;

/** A task has two restarts: more than that may be outgrown without using them up. */
const outgrownInARow = 3;

/** What befalls a life. */
export interface Lot {
  /** The places where processes die. */
  deaths: readonly number[];
  /** The workflow task from which on its workflow is outgrown, three times in a row. */
  outgrown: number | null;
}

const furthestApart = 600_000;

/** The clocks are apart: differently for each lot, and in the same way if it is repeated. */
function clocksOf({ deaths, outgrown }: Lot): (name: string) => number {
  const seed = [...deaths, outgrown ?? 0].reduce((sum, place) => 1_000 * sum + place + 1, 0);
  return clocksApart(seededRandom(seed), ['api 0', 'relay 0', 'worker 0'], furthestApart);
}

export interface LivedLife {
  objections: string[];
  /** Where a process could have died. */
  places: readonly string[];
  workflowTasks: number;
  endedAt: number;
}

/** Lets a life happen, with what befalls it, and judges what is left once all is over. */
export async function runLife(
  postgres: SimulatedPostgres,
  life: Life,
  { deaths, outgrown, began, record }: Lot & { began: number; record?: (line: string) => void },
): Promise<LivedLife> {
  const plan = new CrashPlan(deaths, () => world.scheduler.changes);
  const world: World = await createWorld(postgres, {
    director: plan,
    began,
    clockOffsetOf: clocksOf({ deaths, outgrown }),
    ...(record && { record }),
  });
  const { scheduler, temporal } = world;
  temporal.isOutgrown = (workflowTask) =>
    outgrown !== null && workflowTask >= outgrown && workflowTask < outgrown + outgrownInARow;
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
      ...(await judgeEnds(world, life, { deaths, began })),
    ];
    objections.push(
      ...failures.map((error) => `the caller met an error: ${error instanceof Error ? error.message : ''}`),
    );
    if (!isDone) objections.push(`it was not over after ${longestLifeMilliseconds / 60_000} min`);
    objections.push(...judgeFindings(world));
    return { objections, places: plan.places, workflowTasks: temporal.workflowTasks, endedAt: scheduler.milliseconds };
  } finally {
    await world.close();
  }
}
