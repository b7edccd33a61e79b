import { setTimeout as sleep } from 'node:timers/promises';
import { inLanes } from '@kinora/stack/harness/in-lanes';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import { waitFor } from '@kinora/stack/harness/wait-for';
import type { Client } from 'pg';
import { seededRandom } from '../media/seeded-random.ts';
import type { FairProject } from './callers.ts';
import type { PositionSample, Start } from './evidence.ts';
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
  const { engine, callers, database, report } = parts;
  engine.isReady = false;
  engine.jobMilliseconds = plan.jobMilliseconds ?? jobMilliseconds;
  // Whoever owns the endpoint looks at it every two seconds; from then on it begins nothing.
  await waitFor(async () => (await database.query('select 1 from endpoint_states where is_open')).rowCount === 0);
  const first = engine.jobs.length;
  const projects: FairProject[] = [];
  for (const { project, weight } of plan.backlogs) {
    projects.push(await callers.newProject(project, { weight, cap: plan.cap ?? cap }));
  }
  // Round and round, so that nobody's tasks are older than another's.
  const most = Math.max(...plan.backlogs.map(({ tasks }) => tasks));
  const order = Array.from({ length: most }, (_, round) =>
    projects.filter((_, index) => round < (plan.backlogs[index]?.tasks ?? 0)),
  ).flat();
  await inLanes(8, order, async (project) => void (await callers.newTask(project)));
  await waitFor(async () => (await database.query('select 1 from outbox limit 1')).rowCount === 0);

  engine.isReady = true;
  const isEnough = (): boolean => engine.jobs.length - first >= plan.enough;
  const [samples] = await Promise.all([
    plan.arePositionsRead ? samplePositions(parts, projects, isEnough) : [],
    waitFor(async () => isEnough(), 300),
  ]);
  report(`${plan.what}: ${engine.jobs.length - first} of ${order.length} tasks began`);
  engine.jobMilliseconds = Math.min(engine.jobMilliseconds, drainJobMilliseconds);
  await waitUntilAllEnded(database);
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
async function samplePositions({ callers, engine }: Parts, projects: readonly FairProject[], isOver: () => boolean) {
  const random = seededRandom(7);
  const samples: { taskId: string; position: number; readAt: number }[] = [];
  const pick = <T>(items: readonly T[]): T | undefined => items[random(items.length)];
  while (!isOver()) {
    const begun = new Set(engine.jobs.map(({ taskId }) => taskId));
    const project = pick(projects.filter(({ taskIds }) => taskIds.some((taskId) => !begun.has(taskId))));
    const taskId = project && pick(project.taskIds.filter((id) => !begun.has(id)));
    if (!project || !taskId) break;
    const sentAt = Date.now();
    const position = await callers.positionOf(project, taskId);
    if (position !== null) samples.push({ taskId, position, readAt: (sentAt + Date.now()) / 2 });
    await sleep(100, undefined, { signal: interrupted });
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

async function waitUntilAllEnded(database: Client): Promise<void> {
  await waitFor(
    async () =>
      (await database.query(`select 1 from tasks where status in ('queued', 'in_progress') limit 1`)).rowCount === 0,
  );
}
