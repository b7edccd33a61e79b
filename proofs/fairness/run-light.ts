import { eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { pause } from '@kinora/stack/harness/pause';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { type FairProject, newTask } from './fair-projects.ts';
import { cap, type Parts, slots } from './parts.ts';

/**
 * (c) Creates tasks of light projects at random moments, at half the capacity of the pool. The moments are the same
 * with a heavy project and without one. Returns the seconds that each task waited.
 */
export async function runLight(
  parts: Parts,
  { round, heavyTasks }: { round: number; heavyTasks: number },
): Promise<number[]> {
  const { engine, newProject, report, size } = parts;
  const { projects: count, seconds } = size.light;
  const random = randomFor('proof fairness: light tasks'); // the same numbers in each call
  const { jobMilliseconds } = size;
  engine.jobMilliseconds = jobMilliseconds;
  engine.isReady = true;
  const kind = heavyTasks === 0 ? 'alone' : 'beside';
  const projects: FairProject[] = [];
  for (let index = 0; index < count; index += 1) {
    projects.push(await newProject(`c-${kind}-${index}-${round}`, { weight: 1, cap }));
  }
  if (heavyTasks > 0) {
    const heavy = await newProject(`c-heavy-${round}`, { weight: 1, cap });
    await forEachConcurrently(8, Array.from({ length: heavyTasks }), async () => void (await newTask(heavy)));
    report(`(c) ${heavyTasks} tasks of one project wait`);
  }
  const perSecond = (0.5 * slots * 1000) / jobMilliseconds;
  const first = engine.jobs.length;
  const createdAt = new Map<string, number>();
  const creating: Promise<void>[] = [];
  const create = async (): Promise<void> => {
    const at = Date.now();
    createdAt.set(await newTask(random.pick(projects)), at);
  };
  const beganAt = Date.now();
  const nextPause = (): number => -Math.log(1 - random.below(1_000_000) / 1_000_000) / perSecond;
  for (let at = nextPause(); at < seconds; at += nextPause()) {
    await pause(Math.max(0, beganAt + at * 1000 - Date.now()));
    creating.push(create());
  }
  await Promise.all(creating);
  const hasBegun = (): Map<string, number> =>
    new Map(engine.jobs.slice(first).map(({ taskId, beganAt: began }) => [taskId, began]));
  const haveBegun = (): boolean => [...createdAt.keys()].every((taskId) => hasBegun().has(taskId));
  await eventually('the start of every light task', haveBegun);
  const began = hasBegun();
  report(`(c) ${createdAt.size} light tasks ${kind === 'alone' ? 'alone' : 'beside a heavy project'}`);
  return [...createdAt].map(([taskId, at]) => ((began.get(taskId) ?? Number.POSITIVE_INFINITY) - at) / 1000);
}
