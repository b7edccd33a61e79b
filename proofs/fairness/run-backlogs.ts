import { eventually } from '@kinora/stack/harness/eventually';
import { inLanes } from '@kinora/stack/harness/in-lanes';
import { isEmpty } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { seededRandom } from '@kinora/stack/harness/seeded-random';
import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import { type FairProject, newTask } from './fair-projects.ts';
import type { PositionSample, Start } from './fairness-evidence.ts';
import { cap, jobMilliseconds, type Parts } from './parts.ts';

/** Of what is left once enough has been seen. */
const drainJobMilliseconds = 10;

interface BacklogRun {
  what: string;
  backlogs: { project: string; weight: number; tasks: number }[];
  cap?: number;
  jobMilliseconds?: number;
  /** So many starts are enough; what is left then is drained. */
  enough: number;
  arePositionsRead?: boolean;
}

/** Lets everything wait first, then opens the engine and watches who begins when. */
export async function runBacklogs(parts: Parts, plan: BacklogRun) {
  const { engine, newProject, database, report } = parts;
  const isSoon = (what: string, absent: string) => eventually(what, () => isEmpty(database, absent));
  engine.isReady = false;
  engine.jobMilliseconds = plan.jobMilliseconds ?? jobMilliseconds;
  // Whoever owns the endpoint looks at it every two seconds; from then on it begins nothing.
  await isSoon('closed endpoints', 'select 1 from endpoint_states where is_open');
  const first = engine.jobs.length;
  const projects: FairProject[] = [];
  for (const { project, weight } of plan.backlogs) {
    projects.push(await newProject(project, { weight, cap: plan.cap ?? cap }));
  }
  // Round and round, so that nobody's tasks are older than another's.
  const most = Math.max(...plan.backlogs.map(({ tasks }) => tasks));
  const order = Array.from({ length: most }, (_, round) =>
    projects.filter((_, index) => round < (plan.backlogs[index]?.tasks ?? 0)),
  ).flat();
  await inLanes(8, order, async (project) => void (await newTask(project)));
  await isSoon('an empty outbox', 'select 1 from outbox limit 1');

  engine.isReady = true;
  const isEnough = (): boolean => engine.jobs.length - first >= plan.enough;
  const [samples] = await Promise.all([
    plan.arePositionsRead ? samplePositions(parts, projects, isEnough) : [],
    eventually('enough starts', isEnough, { timeoutMilliseconds: 300_000 }),
  ]);
  report(`${plan.what}: ${engine.jobs.length - first} of ${order.length} tasks began`);
  engine.jobMilliseconds = Math.min(engine.jobMilliseconds, drainJobMilliseconds);
  await isSoon('the end of all tasks', `select 1 from tasks where status in ('queued', 'in_progress') limit 1`);
  const starts = startsOf(engine, projects, first);
  // What began while the rest was drained says nothing: its jobs were shorter.
  return {
    backlogs: plan.backlogs,
    starts: starts.slice(0, plan.enough),
    projects,
    positions: judgeable(samples, starts),
  };
}

/** Reads positions of random waiting tasks until told to stop. */
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
