import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import type { UsualRole } from '@kinora/stack/harness/installation';
import { type Random, randomFor } from '@kinora/stack/harness/seeded-random';
import { hitsOfEachFailpoint, terminationsOfEachStage } from './crash-size.ts';
import { pause, type World } from './crash-world.ts';
import { drainWorker } from './drain.ts';
import { type Failpoint, failpoints, parts } from './history.ts';
import { terminateWorkflow } from './terminate.ts';

/** The episodes that one lane runs, and the shortest pause after each. A lane has its own random choices. */
interface Lane {
  name: string;
  random: Random;
  episodes: Episode[];
  leastPauseSeconds: number;
}

/** Resolves to false if the episode must be repeated. */
type Episode = (random: Random) => Promise<boolean>;

const roleOf: Record<Failpoint, UsualRole> = {
  'after-accept-commit': 'api',
  'after-answer': 'api',
  'after-start': 'api',
  'after-begin': 'worker',
  'after-submit': 'worker',
  'while-rendering': 'worker',
  'while-storing-raw': 'worker',
  'after-upload': 'worker',
};
const patienceSeconds = 40;
const tries = 4;

/** How many takeovers the planned kills lead to depends on luck, so workers die this often more if necessary. */
const mostFurtherKills = 15;
/** The longest wait. Kinora notices a dead worker after 15 s; then its tasks are taken over and completed. */
const takeoverSeconds = 20;

/** Kills every role and part, in independent lanes, spread over the time of the run. */
export async function runLanes(world: World): Promise<void> {
  const { size, supervisor, gate, report, signal } = world;
  await Promise.all(lanesOf(world).map((lane) => runLane(world, lane)));
  const random = randomFor('crash/further kills');
  for (let kill = 1; kill <= mostFurtherKills; kill += 1) {
    const missing = size.thresholds.followedTakeovers - (await countFollowed(world));
    world.areTakeoversMissing = missing > 0;
    if (missing <= 0) return;
    report(`${missing} takeovers are missing: a worker dies while it renders`);
    // At a random moment most workers have nothing that could be taken over.
    const die = () => supervisor.crashAt('worker', 'while-rendering', patienceSeconds, random);
    await gate.together(die).catch(reportFailure(world, 'worker'));
    // Counted after the death, because takeovers of an earlier death may have followed until then.
    const before = await countFollowed(world);
    const hasRisen = async (): Promise<boolean> => (await countFollowed(world)) > before;
    // oxlint-disable-next-line kinora/no-time-judgement -- the crash proof, which is nightly, goes on without it
    await becomesTrueWithin(takeoverSeconds * 1000, hasRisen, { everyMilliseconds: 500, signal });
  }
  // No worker dies any more, so the tasks that are still to come may be short again.
  world.areTakeoversMissing = false;
}

async function countFollowed({ rows }: World): Promise<number> {
  const [counted] = await rows.query<{ followed: number }>(
    "select count(*)::int as followed from attempts where takeovers > 0 and outcome = 'completed'",
  );
  return counted?.followed ?? 0;
}

function lanesOf(world: World): Lane[] {
  const { size, supervisor, gate } = world;
  const together =
    (work: (random: Random) => Promise<unknown>): Episode =>
    (random) =>
      gate.together(() => work(random)).then((isDone) => isDone !== false);
  const crashes = (target: Parameters<typeof supervisor.crash>[0]): Episode[] =>
    repeat(
      size.randomKillsOf[target],
      together((random) => supervisor.crash(target, random)),
    );
  const hits = (role: UsualRole): Episode[] =>
    failpoints
      .filter((name) => roleOf[name] === role)
      .flatMap((name) =>
        repeat(
          hitsOfEachFailpoint,
          together((random) => supervisor.crashAt(role, name, patienceSeconds, random)),
        ),
      );
  const terminations = (stage: 'rendering' | 'finishing'): Episode[] =>
    repeat(
      terminationsOfEachStage,
      together(() => terminateWorkflow(world, stage)),
    );
  return [
    // Kinora notices a dead worker after 15 s. With shorter pauses the workers would only restart and do no work.
    { name: 'worker failpoints', episodes: hits('worker'), leastPauseSeconds: 7 },
    {
      name: 'worker',
      episodes: [...crashes('worker'), ...repeat(size.drains, () => drainWorker(world))],
      leastPauseSeconds: 7,
    },
    { name: 'api', episodes: [...hits('api'), ...crashes('api')], leastPauseSeconds: 3 },
    { name: 'relay', episodes: crashes('relay'), leastPauseSeconds: 3 },
    { name: 'animatic', episodes: crashes('animatic'), leastPauseSeconds: 20 },
    { name: 'stack', episodes: parts.flatMap(crashes), leastPauseSeconds: 5 },
    { name: 'workflows', episodes: [...terminations('rendering'), ...terminations('finishing')], leastPauseSeconds: 5 },
  ].map((lane) => {
    const random = randomFor(`crash/${lane.name}`);
    return { ...lane, random, episodes: shuffle(random, lane.episodes) };
  });
}

/** Runs one episode after the other, with pauses that spread them over the time of the run. */
async function runLane(world: World, { name, random, episodes, leastPauseSeconds }: Lane): Promise<void> {
  const { size, report } = world;
  const endsAt = Date.now() + size.seconds * 1000;
  for (const [index, episode] of episodes.entries()) {
    const share = (endsAt - Date.now()) / 1000 / (episodes.length - index);
    // Less than the equal share, because the episode itself takes time too.
    await pause(world, Math.max(leastPauseSeconds * random.between(0.7, 1.3), share * random.between(0.2, 0.9)));
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const isDone = await episode(random).catch(reportFailure(world, name));
      if (isDone) break;
      await pause(world, leastPauseSeconds);
    }
  }
  report(`${name}: done`);
}

/** Returns a handler of errors that only reports them, unless the proof has ended. */
function reportFailure({ signal, report }: World, lane: string): (error: unknown) => false {
  return (error) => {
    signal.throwIfAborted();
    report(`${lane}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  };
}

function repeat(count: number, episode: Episode): Episode[] {
  return Array.from({ length: count }, () => episode);
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.between(0, 1) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
