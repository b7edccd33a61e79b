import { eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { withWorkflows } from '../with-workflows.ts';
import { type FairProject, newTask } from './fair-projects.ts';
import type { LightStart } from './fairness-evidence.ts';
import type { Parts } from './parts.ts';
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
  const heavy = await newProject('c-heavy', { weight: 1, cap: heavyTasks });
  await forEachConcurrently(8, Array.from({ length: heavyTasks }), async () => void (await newTask(heavy)));
  const projects: FairProject[] = [];
  for (let index = 0; index < count; index += 1) {
    projects.push(await newProject(`c-light-${index}`, { weight: 1, cap: 1 }));
  }
  const light: LightStart[] = [];
  const filled: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    engine.hold();
    filled.push(await fillSlots(engine));
    const taskIds = await Promise.all(projects.map(newTask));
    const begun = new Set(engine.jobs.map(({ taskId }) => taskId));
    await areQueued(parts, [...taskIds, ...heavy.taskIds.filter((taskId) => !begun.has(taskId))]);
    const first = engine.jobs.length;
    engine.release();
    const startOf = (taskId: string): number => engine.jobs.findIndex((job) => job.taskId === taskId);
    await eventually('the start of every light task', () => taskIds.every((taskId) => startOf(taskId) >= 0));
    const heavyBegun = (to: number, from = 0): number =>
      engine.jobs.slice(from, to).filter(({ taskId }) => heavy.taskIds.includes(taskId)).length;
    light.push(
      ...taskIds.map((taskId) => ({
        heavyBefore: heavyBegun(startOf(taskId), first),
        heavyLeft: heavyTasks - heavyBegun(startOf(taskId)),
      })),
    );
  }
  report(`(c) ${light.length} light tasks began beside a heavy project`);
  return { light, filled };
}

/** Waits until the pool's queue has each of these tasks: until then no fair order can choose them. */
async function areQueued({ stack }: Parts, taskIds: readonly string[]): Promise<void> {
  await withWorkflows(stack, async (workflow) => {
    for (const taskId of taskIds) {
      const pending = (): Promise<number> =>
        workflow
          .getHandle(taskId)
          .describe()
          .then(
            ({ raw }) => raw.pendingActivities?.length ?? 0,
            () => 0, // The workflow has not been started yet.
          );
      await eventually(`${taskId} is queued`, async () => (await pending()) > 0);
    }
  });
}
