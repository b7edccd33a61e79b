import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { becomesTrueWithin, eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { isEmpty } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import { areQueued } from './are-queued.ts';
import { type FairProject, newTask } from './fair-projects.ts';
import type { PositionSample, Start } from './fairness-evidence.ts';
import { type Parts, slots } from './parts.ts';

/** The length of the jobs that are left once enough have started. */
const drainJobMilliseconds = 10;
/** Longer than the API uses a snapshot of the queues before it looks for the next one. */
const snapshotMilliseconds = 2_500;

interface BacklogRun {
  what: string;
  backlogs: { project: string; weight: number; tasks: number }[];
  cap?: number;
  jobMilliseconds?: number;
  /** After this many starts the rest of the tasks is drained. */
  enough: number;
  /** How many positions to read while all slots are taken and no job ends. */
  positions?: number;
}

/** Creates all tasks while the engine accepts none, then lets it start and records when each task begins. */
export async function runBacklogs(parts: Parts, plan: BacklogRun) {
  const { engine, newProject, database, report, size } = parts;
  engine.isReady = false;
  engine.jobMilliseconds = plan.jobMilliseconds ?? size.jobMilliseconds;
  // The worker that owns the endpoint probes it every two seconds, and begins no task after that.
  await waitUntilEmpty(database, 'endpoints that accept no jobs', 'select 1 from endpoint_states where is_open');
  const first = engine.jobs.length;
  const cap = plan.cap ?? size.cap;
  const projects: FairProject[] = [];
  for (const { project, weight } of plan.backlogs) {
    projects.push(await newProject(project, { weight, cap }));
  }
  // Projects take turns, so that no project's tasks are older than another's.
  const most = Math.max(...plan.backlogs.map(({ tasks }) => tasks));
  const order = Array.from({ length: most }, (_, round) =>
    projects.filter((_, index) => round < (plan.backlogs[index]?.tasks ?? 0)),
  ).flat();
  await forEachConcurrently(8, order, async (project) => void (await newTask(project)));
  await waitUntilEmpty(database, 'an empty outbox', 'select 1 from outbox limit 1');

  engine.hold();
  engine.isReady = true;
  const filled = await fillSlots(engine);
  const waiting = projects
    .flatMap(({ taskIds }) => taskIds)
    .filter((taskId) => !engine.jobs.some((job) => job.taskId === taskId));
  // If every task is admitted, the pool alone decides about the order, as soon as it has all of them.
  if (cap >= most) await areQueued(parts, waiting);
  const atRest = await readPositions(parts, projects, plan.positions ?? 0);
  engine.release();
  const isEnough = (): boolean => engine.jobs.length - first >= plan.enough;
  const isSampling = parts.tier === 'night' && plan.positions !== undefined;
  const [inMotion] = await Promise.all([
    isSampling ? samplePositions(parts, projects, isEnough) : [],
    eventually('enough starts', isEnough),
  ]);
  report(`${plan.what}: ${engine.jobs.length - first} of ${order.length} tasks began`);
  await drain(parts);
  const starts = startsOf(engine, projects, first);
  const startNumber = new Map(starts.map(({ taskId }, index) => [taskId, index + 1]));
  return {
    backlogs: plan.backlogs,
    // Starts during the drain do not count, because their jobs were shorter.
    starts: starts.slice(0, plan.enough),
    projects,
    filled,
    positions: atRest.flatMap(({ taskId, position }): PositionSample[] => {
      const number = startNumber.get(taskId);
      return number === undefined ? [] : [{ position, begun: number - filled }];
    }),
    positionsInMotion: judgeable(inMotion, starts),
  };
}

/** Waits until as many jobs run as the engine has slots, or until nothing more can be expected; returns how many run. */
export async function fillSlots({ jobs }: StubEngine): Promise<number> {
  const running = (): number => jobs.filter(({ endedAt }) => endedAt === null).length;
  await becomesTrueWithin(hangLimitMilliseconds, () => running() >= slots);
  return running();
}

async function waitUntilEmpty(database: Parts['database'], what: string, query: string): Promise<void> {
  await eventually(what, () => isEmpty(database, query));
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

/** Reads positions of random waiting tasks while nothing begins or ends, so that no read is older than another. */
async function readPositions({ engine, database, random }: Parts, projects: readonly FairProject[], count: number) {
  const begun = new Set(engine.jobs.map(({ taskId }) => taskId));
  const waiting = projects.flatMap(({ api, taskIds }) =>
    taskIds.filter((taskId) => !begun.has(taskId)).map((taskId) => ({ api, taskId })),
  );
  const [first] = waiting;
  if (count === 0 || !first) return [];
  const now = await database.query<{ now: Date }>('select clock_timestamp() as now');
  await eventually('a snapshot of the queues as they are now', async () => {
    await first.api.read(first.taskId); // Reads make the snapshots.
    return !(await isEmpty(database, 'select 1 from queue_snapshot where made_at > $1', [now.rows[0]?.now]));
  });
  await pause(snapshotMilliseconds);
  const samples: { taskId: string; position: number }[] = [];
  for (let reads = 0; reads < count; reads += 1) {
    const { api, taskId } = random.pick(waiting);
    const { queue_position: position } = await api.read(taskId);
    if (position !== null) samples.push({ taskId, position });
  }
  return samples;
}

/** Reads positions of random waiting tasks until `isOver`. */
async function samplePositions({ engine, random }: Parts, projects: readonly FairProject[], isOver: () => boolean) {
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
