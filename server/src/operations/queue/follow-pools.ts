import type { Database } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { Log } from '../../telemetry/log.ts';
import { admitTasks } from './admit-tasks.ts';
import type { WorkflowParts } from './workflow-parts.ts';

interface Dependencies extends WorkflowParts {
  log: Log;
}

const tasksAtOnce = 500;

/**
 * Keeps pools that nobody serves from blocking a project. Admitted tasks of a pool that has had no accepting endpoint
 * for 60 s are given back: they wait for admission again, and tasks for other pools take their places. When the pool is
 * served again, its tasks are admitted; a relay that dies meanwhile leaves a row that makes the next one do it.
 */
export async function followPools(dependencies: Dependencies): Promise<void> {
  const { db, log } = dependencies;
  const served = await db.unservedPools.note();
  for (const pool of served) log.info({ event: 'pool.served', pool }, 'pool has an accepting endpoint again');
  const errors: unknown[] = [];
  const attempt = (work: Promise<void>) => work.catch((error: unknown) => void errors.push(error));
  for (const stranded of await strandedByProject(db)) await attempt(giveBack(dependencies, stranded));
  if (served.length > 0) {
    for (const mode of await db.projectSlots.withRoom()) await attempt(admit(dependencies, mode));
  }
  // One project's error must not keep the others from their slots.
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} projects were not updated`);
  if (served.length > 0) await db.unservedPools.forgetServed(served);
}

interface StrandedTasks {
  mode: ProjectMode;
  taskIds: string[];
}

async function strandedByProject(db: Database): Promise<StrandedTasks[]> {
  const stranded = await db.openTasks.stranded(tasksAtOnce);
  const projects = Map.groupBy(stranded, ({ projectId, livemode }) => `${projectId} ${livemode}`);
  return [...projects.values()].flatMap((tasks) => {
    const [first] = tasks;
    return first ? [{ mode: first, taskIds: tasks.map(({ taskId }) => taskId) }] : [];
  });
}

/** Takes back the admission of tasks that have not begun. Their workflows stay; the row keeps them from beginning. */
async function giveBack({ db, workflows, clock, log }: Dependencies, { mode, taskIds }: StrandedTasks): Promise<void> {
  const { pools, starts } = await db.transaction(async (tables) => {
    const givenBack = await tables.tasks.giveBack(taskIds);
    const pools = givenBack.map(({ pool }) => pool);
    await tables.openTasks.explain(
      givenBack.map(({ taskId }) => taskId),
      'pool_unserved',
    );
    await tables.projectSlots.countGivenBack(mode, pools);
    return { pools, starts: await admitTasks(tables, mode, clock.now()) };
  });
  workflows.startSoon(starts);
  const { projectId, livemode } = mode;
  for (const [pool, tasks] of Map.groupBy(pools, (pool) => pool)) {
    log.warn(
      { event: 'pool.unserved', pool, projectId, livemode, tasks: tasks.length },
      'tasks given back: the pool has no accepting endpoint',
    );
  }
}

async function admit({ db, workflows, clock }: Dependencies, mode: ProjectMode): Promise<void> {
  workflows.startSoon(await db.transaction((tables) => admitTasks(tables, mode, clock.now())));
}
