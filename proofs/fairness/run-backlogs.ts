import { eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { isEmpty } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { seededRandom } from '@kinora/stack/harness/seeded-random';
import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import { type FairProject, newTask } from './fair-projects.ts';
import type { PositionSample, Start } from './fairness-evidence.ts';
import { cap, jobMilliseconds, type Parts } from './parts.ts';

/** The length of the jobs that are left once enough have started. */
const drainJobMilliseconds = 10;

interface BacklogRun {
  what: string;
  backlogs: { project: string; weight: number; tasks: number }[];
  cap?: number;
  jobMilliseconds?: number;
  /** After this many starts the rest of the tasks is drained. */
  enough: number;
  arePositionsRead?: boolean;
}

/** Creates all tasks while the engine accepts none, then lets it start and records when each task begins. */
export async function runBacklogs(parts: Parts, plan: BacklogRun) {
  const { engine, newProject, database, report } = parts;
  engine.isReady = false;
  engine.jobMilliseconds = plan.jobMilliseconds ?? jobMilliseconds;
  // The worker that owns the endpoint probes it every two seconds, and begins no task after that.
  await waitUntilEmpty(database, 'endpoints that accept no jobs', 'select 1 from endpoint_states where is_open');
  const first = engine.jobs.length;
  const projects: FairProject[] = [];
  for (const { project, weight } of plan.backlogs) {
    projects.push(await newProject(project, { weight, cap: plan.cap ?? cap }));
  }
  // Projects take turns, so that no project's tasks are older than another's.
  const most = Math.max(...plan.backlogs.map(({ tasks }) => tasks));
  const order = Array.from({ length: most }, (_, round) =>
    projects.filter((_, index) => round < (plan.backlogs[index]?.tasks ?? 0)),
  ).flat();
  await forEachConcurrently(8, order, async (project) => void (await newTask(project)));
  await waitUntilEmpty(database, 'an empty outbox', 'select 1 from outbox limit 1');

  engine.isReady = true;
  const isEnough = (): boolean => engine.jobs.length - first >= plan.enough;
  const [samples] = await Promise.all([
    plan.arePositionsRead ? samplePositions(parts, projects, isEnough) : [],
    eventually('enough starts', isEnough, { timeoutMilliseconds: 300_000 }),
  ]);
  report(`${plan.what}: ${engine.jobs.length - first} of ${order.length} tasks began`);
  await drain(parts);
  const starts = startsOf(engine, projects, first);
  // Starts during the drain do not count, because their jobs were shorter.
  return {
    backlogs: plan.backlogs,
    starts: starts.slice(0, plan.enough),
    projects,
    positions: judgeable(samples, starts),
  };
}

/** Waits until a query finds no row, for up to five minutes, because a thousand tasks may have to be drained. */
async function waitUntilEmpty(database: Parts['database'], what: string, query: string): Promise<void> {
  await eventually(what, () => isEmpty(database, query), { timeoutMilliseconds: 300_000 });
}

/** Runs all waiting tasks to their end with very short jobs. */
export async function drain({ engine, database }: Parts): Promise<void> {
  engine.jobMilliseconds = Math.min(engine.jobMilliseconds, drainJobMilliseconds);
  await waitUntilEmpty(
    database,
    'the end of all tasks',
    `select 1 from tasks where status in ('queued', 'in_progress') limit 1`,
  );
}

/** Reads positions of random waiting tasks until `isOver`. */
async function samplePositions({ engine }: Parts, projects: readonly FairProject[], isOver: () => boolean) {
  const random = seededRandom(7);
  const samples: { taskId: string; position: number; readAt: number }[] = [];
  while (!isOver()) {
    const begun = new Set(engine.jobs.map(({ taskId }) => taskId));
    const waiting = projects.filter(({ taskIds }) => taskIds.some((taskId) => !begun.has(taskId)));
    if (waiting.length === 0) break;
    const { api, taskIds } = random.pick(waiting);
    const taskId = random.pick(taskIds.filter((id) => !begun.has(id)));
    const sentAt = Date.now();
    const { queue_position: position } = await api.read(taskId);
    if (position !== null) samples.push({ taskId, position, readAt: (sentAt + Date.now()) / 2 });
    await pause(100);
  }
  return samples;
}

function judgeable(
  samples: readonly { taskId: string; position: number; readAt: number }[],
  starts: readonly Start[],
): PositionSample[] {
  const beganAt = new Map(starts.map((start) => [start.taskId, start.beganAt]));
  return samples.flatMap(({ taskId, position, readAt }) => {
    const own = beganAt.get(taskId);
    if (own === undefined || own <= readAt) return [];
    const begun = starts.filter((start) => start.beganAt > readAt && start.beganAt <= own).length;
    return [{ position, begun }];
  });
}

function startsOf(engine: StubEngine, projects: readonly FairProject[], first: number): Start[] {
  const projectOf = new Map(projects.flatMap(({ name, taskIds }) => taskIds.map((taskId) => [taskId, name] as const)));
  return engine.jobs.slice(first).flatMap(({ taskId, beganAt, endedAt }) => {
    const project = projectOf.get(taskId);
    return project === undefined ? [] : [{ taskId, project, beganAt, endedAt: endedAt ?? Date.now() }];
  });
}
