import { eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { areQueued } from './are-queued.ts';
import { type FairProject, newTask } from './fair-projects.ts';
import type { LightStart } from './fairness-evidence.ts';
import { cap, type Parts } from './parts.ts';
import { fillSlots } from './run-backlogs.ts';

/**
 * (c) Queues tasks of light projects while a heavy project has taken every slot and many of its tasks wait. Jobs end only
 * once all of them are queued, so that the pool alone decides what begins next. Returns what each light task met, and how
 * many slots were filled in each round.
 */
export async function runOrder(parts: Parts): Promise<{ light: LightStart[]; filled: number[] }> {
  const { engine, newProject, size, report } = parts;
  const { projects: count, rounds, heavyTasks } = size.order;
  engine.jobMilliseconds = size.jobMilliseconds;
  engine.hold();
  engine.isReady = true;
  // The cap is no limit here: every task of the heavy project is in the pool, ahead of the light ones.
  const heavy = await newProject('c-heavy', { weight: 1, cap: 10_000 });
  const projects: FairProject[] = [];
  for (let index = 0; index < count; index += 1) {
    projects.push(await newProject(`c-light-${index}`, { weight: 1, cap }));
  }
  const light: LightStart[] = [];
  const filled: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    engine.hold();
    const waiting = (): string[] => heavy.taskIds.filter((taskId) => !engine.jobs.some((job) => job.taskId === taskId));
    const missing = Array.from({ length: heavyTasks - waiting().length });
    await forEachConcurrently(8, missing, async () => void (await newTask(heavy)));
    filled.push(await fillSlots(engine));
    await areQueued(parts, waiting());
    const taskIds = await Promise.all(projects.map(newTask));
    await areQueued(parts, taskIds);
    const first = engine.jobs.length;
    engine.release();
    const startOf = (taskId: string): number => engine.jobs.findIndex((job) => job.taskId === taskId);
    // Once they have ended, the heavy project has all slots again.
    const hasEnded = (taskId: string): boolean => (engine.jobs[startOf(taskId)]?.endedAt ?? null) !== null;
    await eventually('the end of every light task', () => taskIds.every(hasEnded));
    const heavyBegun = (to: number, from = 0): number =>
      engine.jobs.slice(from, to).filter(({ taskId }) => heavy.taskIds.includes(taskId)).length;
    light.push(
      ...taskIds.map((taskId) => ({
        heavyBefore: heavyBegun(startOf(taskId), first),
        heavyLeft: heavy.taskIds.length - heavyBegun(startOf(taskId)),
      })),
    );
  }
  report(`(c) ${light.length} light tasks began beside a heavy project`);
  return { light, filled };
}
