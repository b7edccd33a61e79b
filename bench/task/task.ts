import { createApiClient } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { alternate, type Contestant, type Measured } from '../alternate.ts';
import { startBareWorker } from '../bare/start-bare-worker.ts';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { installWithStub } from '../install-with-stub.ts';
import { round } from '../judge-baseline.ts';
import { program } from '../process-groups.ts';
import { type LoadResult, runClosedLoop } from '../send-load.ts';
import { mediaPrograms, serviceGroups, temporalGroups } from '../service-groups.ts';
import { ratiosOf, tableOf } from '../show-measured.ts';
import { readTaskEnds } from './task-ends.ts';

/** Per round; there are more workflows, because one costs less than a task. `alone` tasks run one after the other. */
const sizes: Record<BenchSize, { rounds: number; tasks: number; workflows: number; alone: number }> = {
  quick: { rounds: 5, tasks: 6, workflows: 20, alone: 12 },
  normal: { rounds: 15, tasks: 20, workflows: 60, alone: 40 },
  full: { rounds: 25, tasks: 40, workflows: 120, alone: 80 },
};

/** 60 ms for a video of 480x480 pixels and 1 s that already fits. Starting Debian's ffmpeg and ffprobe took 335 ms. */
const mostMediaMilliseconds = 60;
const inFlight = 8;
/** As long as a fast model takes. What is more is the time of Kinora, and four at once show what waits for each other. */
const longJobSeconds = 10;
const longJobs = 4;
/** 5 s: the roles poll every second or two. */
const idleSeconds = 5;
/** 500 ms: after the end of its task, a workflow still has to close, and Temporal still writes. */
const restMilliseconds = 500;

export const task: Bench = {
  about: 'what a task costs from create to completed, compared with a bare Temporal workflow of three activities',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const { rounds, tasks, workflows, alone } = sizes[size];
  await using cleanup = new AsyncDisposableStack();
  const options = { slots: inFlight, jobMilliseconds: 1, cleanup, report };
  const { engine, installation } = await installWithStub({ stack, seed }, options);
  const bare = cleanup.use(await startBareWorker(stack));
  const streaming = new AbortController();
  cleanup.defer(() => streaming.abort());
  const client = createApiClient({ url: installation.url, key: installation.liveKey });
  // One stream shows the ends of all tasks, so nothing is polled. Its 3 % of a task's CPU time is part of the figures.
  const events = await client.fetch('/v1/events', { signal: streaming.signal });
  if (events.status !== 200 || !events.body) throw new Error(`GET /v1/events got ${events.status}`);
  const ends = readTaskEnds(events.body);
  const runTask = async (): Promise<void> => {
    const { task_id: taskId } = await client.create({ prompt: 'A hill at dusk', ...smallestVideo });
    await ends.completed(taskId);
  };
  const groups = serviceGroups(stack, installation);
  // Both programs write through the same Temporal and the same Postgres.
  const bareGroups = [program('bare worker', () => bare.pid), ...temporalGroups(stack)];
  const contestants: Contestant[] = [
    contestant('task', groups, () => runRound(tasks, runTask)),
    contestant('bare workflow', bareGroups, () => runRound(workflows, () => bare.runWorkflow())),
  ];
  const measured = await alternate(contestants, rounds, report, { idleSeconds });
  for (const line of tableOf(measured)) report(line);
  const aloneFigures = {
    'task alone: p50 ms': round((await runClosedLoop(alone, 1, runTask)).p50Milliseconds),
    'bare workflow alone: p50 ms': round((await runClosedLoop(alone, 1, () => bare.runWorkflow())).p50Milliseconds),
  };
  engine.jobMilliseconds = longJobSeconds * 1000;
  const long = { 'four tasks of 10 s: s': round((await runClosedLoop(longJobs, longJobs, runTask)).seconds) };
  const shown = { ...shownOf(measured), ...aloneFigures, ...long };
  return { judged: ratiosOf(measured), shown, checks: 1, failures: objectionsTo(measured) };
}

/** Returns an objection if the programs that make the files of a video which already fits cost too much. */
function objectionsTo(measured: readonly Measured[]): string[] {
  const microseconds = measured.find(({ name }) => name === 'task')?.cpuMicrosecondsByGroup[mediaPrograms];
  const milliseconds = (microseconds ?? Number.NaN) / 1000;
  if (milliseconds <= mostMediaMilliseconds) return [];
  return [
    `media programs cost ${round(milliseconds)} ms of CPU per task; at most ${mostMediaMilliseconds} ms are allowed`,
  ];
}

/** A round is enough to warm up: tasks take hundreds of milliseconds each. */
function contestant(name: string, groups: Contestant['groups'], run: Contestant['run']): Contestant {
  return { name, groups, warmUp: run, run };
}

async function runRound(count: number, runOne: () => Promise<void>): Promise<LoadResult> {
  const result = await runClosedLoop(count, inFlight, runOne);
  await pause(restMilliseconds);
  return result;
}

function shownOf(measured: readonly Measured[]): Record<string, number> {
  return Object.fromEntries(
    measured.flatMap(({ name, cpuMicroseconds, cpuMicrosecondsByGroup, perSecond, p50Milliseconds }) => [
      [`${name}: CPU ms`, round(cpuMicroseconds / 1000)],
      ...Object.entries(cpuMicrosecondsByGroup).map(([group, microseconds]) => [
        `${name}: CPU ms of ${group}`,
        round(microseconds / 1000),
      ]),
      ...(mediaPrograms in cpuMicrosecondsByGroup
        ? [[`${name}: CPU ms without ${mediaPrograms}`, withoutMedia(cpuMicroseconds, cpuMicrosecondsByGroup)]]
        : []),
      [`${name}: per second`, round(perSecond)],
      [`${name}: p50 ms`, round(p50Milliseconds)],
    ]),
  );
}

/** Starting and running ffmpeg is work on the video, which a bare workflow does not do. */
function withoutMedia(microseconds: number, byGroup: Readonly<Record<string, number>>): number {
  return round((microseconds - (byGroup[mediaPrograms] ?? 0)) / 1000);
}
