import type { Life } from './lives.ts';
import { type LivedLife, type Lot, runLife } from './run-life.ts';
import { beginning } from './scheduler.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';

interface Outcome {
  objections: string[];
  figures: { places: number; schedules: number; foundAfter?: number };
}

/** Makes an empty database. */
export type NewPostgres = () => Promise<SimulatedPostgres>;

/** A database without vacuum grows slow. */
const schedulesPerDatabase = 80;

/** Runs a life again and again, each time later in virtual time. */
function runner(newPostgres: NewPostgres, life: Life) {
  let began = beginning;
  let postgres: SimulatedPostgres | null = null;
  const objections: string[] = [];
  let schedules = 0;
  let foundAfter: number | null = null;
  const run = async (
    { deaths = [], outgrown = null }: Partial<Lot>,
    record?: (line: string) => void,
  ): Promise<LivedLife> => {
    if (schedules % schedulesPerDatabase === 0) {
      await postgres?.close();
      postgres = null;
    }
    postgres ??= await newPostgres();
    const lived = await runLife(postgres, life, { deaths, outgrown, began, ...(record && { record }) });
    began = lived.endedAt + 60_000;
    schedules += 1;
    if (lived.objections.length > 0) {
      foundAfter ??= schedules;
      const where = deaths.map((place) => `${place} (${lived.places[place]})`).join(' and ');
      const lot = outgrown === null ? `--deaths ${deaths.join(',')}: ${where}` : `--outgrown ${outgrown}`;
      objections.push(`--life "${life.name}" ${lot}: ${lived.objections.join('; ')}`);
    }
    return lived;
  };
  const end = async (places: number): Promise<Outcome> => {
    await postgres?.close();
    return { objections, figures: { places, schedules, ...(foundAfter !== null && { foundAfter }) } };
  };
  return { run, end };
}

/** Lets a process die at each place of a life. */
export async function everyDeath(newPostgres: NewPostgres, life: Life): Promise<Outcome> {
  const { run, end } = runner(newPostgres, life);
  const { places } = await run({});
  for (const place of places.keys()) await run({ deaths: [place] });
  return end(places.length);
}

/**
 * Lets processes die at each place of a life, and again at each later place of what the first death made of it. Also lets
 * its workflows be outgrown from each of their steps on.
 */
export async function everyPairOfDeaths(newPostgres: NewPostgres, life: Life): Promise<Outcome> {
  const { run, end } = runner(newPostgres, life);
  const { places, workflowTasks } = await run({});
  for (let outgrown = 1; outgrown <= workflowTasks; outgrown += 1) await run({ outgrown });
  for (const first of places.keys()) {
    const after = await run({ deaths: [first] });
    for (let second = first + 1; second < after.places.length; second += 1) await run({ deaths: [first, second] });
  }
  return end(places.length);
}

export async function runOneLife(
  newPostgres: NewPostgres,
  life: Life,
  lot: Partial<Lot>,
  record?: (line: string) => void,
): Promise<Outcome> {
  const { run, end } = runner(newPostgres, life);
  const { places } = await run(lot, record);
  return end(places.length);
}
