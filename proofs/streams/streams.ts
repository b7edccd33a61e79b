import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import type { ApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOptions, ProofOutcome, ProofSize } from '../proof.ts';
import { readCommitTimes, recordCommitTimes } from './commit-times.ts';
import { isLate, judgeLateness, judgeStreams } from './judge-streams.ts';
import { type FollowedProject, makeProjects } from './make-projects.ts';
import { startReaders } from './readers.ts';
import type { Cause, Evidence, StreamPlan } from './streams-evidence.ts';

export const proof: Proof = {
  name: 'streams',
  promise:
    'With 2,000 open streams at one API process, an event reaches all that follow it exactly once, within 200 ms at p99.',
  // At night, with three rounds.
  minutes: 1.5,
  inGate: 'shared',
  run,
};

interface StreamsSize {
  projects: number;
  tasksPerProject: number;
  streamsPerTask: number;
  streamsPerProject: number;
}

const sizes: Record<ProofSize, StreamsSize> = {
  ci: { projects: 20, tasksPerProject: 10, streamsPerTask: 9, streamsPerProject: 10 },
  full: { projects: 50, tasksPerProject: 20, streamsPerTask: 9, streamsPerProject: 20 },
};

/** The pause between events: 20 events per second, and with them some 400 deliveries. */
const pauseMilliseconds = 50;
const settleMilliseconds = 1_500;
/** A machine that is busy for a moment delays the events of one round; a slow API would delay those of every round. */
const mostRounds = 3;

/** At night, repeats until a round keeps the promised time, at most three times, each with projects and tasks of its own. */
async function run(stack: Stack, { size: proofSize, tier, report }: ProofOptions): Promise<ProofOutcome> {
  const size = sizes[proofSize];
  // Tasks only wait in this proof, so no worker is needed.
  await using installation = await startInstallation({ stack, roles: ['api'], onProgress: report });
  await using database = await openDatabase(stack);
  await recordCommitTimes(database);
  const tasks = size.projects * size.tasksPerProject;
  const streams = tasks * size.streamsPerTask + size.projects * size.streamsPerProject;
  const rounds: Evidence[] = [];
  do {
    if (rounds.length > 0) report('events were late; they are measured once more');
    rounds.push(await measure(installation, database, size, report));
  } while (tier === 'night' && rounds.length < mostRounds && rounds.every(isLate));
  const { figures, failures } = judgeStreams(rounds, { streams, tasks });
  const late = tier === 'night' ? judgeLateness(rounds) : [];
  return { figures, failures: [...failures, ...late, ...(await findSelfRepairs(stack, installation))] };
}

async function measure(
  installation: Installation,
  database: Client,
  size: StreamsSize,
  report: (line: string) => void,
): Promise<Evidence> {
  const apiPid = installation.process('api')?.pid;
  await using readers = closing(startReaders());
  const projects = await makeProjects(installation, database, size);
  const plans = projects.flatMap((project) => plansFor(installation.url, project, size));
  const numbered = plans.map((plan, number) => ({ ...plan, number }));
  report(`${size.projects * size.tasksPerProject} tasks of ${size.projects} projects wait`);
  await pause(settleMilliseconds);
  const beforeBytes = residentBytes(apiPid);

  const openingAt = Date.now();
  await readers.open(numbered);
  const secondsToOpen = Math.round((Date.now() - openingAt) / 100) / 10;
  report(`${plans.length} streams are open after ${secondsToOpen} s`);
  await pause(settleMilliseconds);
  const openBytes = residentBytes(apiPid);

  const sent = await cancelAll(projects, report);
  let isComplete = false;
  void readers.complete.then(() => (isComplete = true));
  // The judge objects to what has not arrived by then.
  await becomesTrueWithin(hangLimitMilliseconds, () => isComplete);
  const streams = await readers.collect();
  const committedAt = await readCommitTimes(database);
  const causes = sent.flatMap((cause): Cause[] => {
    const at = committedAt.get(cause.taskId);
    return at === undefined ? [] : [{ ...cause, committedAt: at }];
  });
  return { streams, causes, memory: { beforeBytes, openBytes }, secondsToOpen };
}

/** Every other stream of a task is opened by its signed URL, the rest with the key. */
function plansFor(url: string, { headers, tasks }: FollowedProject, size: StreamsSize): Omit<StreamPlan, 'number'>[] {
  const ofTasks = tasks.flatMap(({ taskId, eventsUrl }) =>
    Array.from({ length: size.streamsPerTask }, (_, index) => ({
      kind: 'task' as const,
      ...(index % 2 === 0 ? { url: eventsUrl, headers: {} } : { url: `${url}/v1/videos/${taskId}/events`, headers }),
      taskIds: [taskId],
    })),
  );
  const taskIds = tasks.map(({ taskId }) => taskId);
  const ofProject = Array.from({ length: size.streamsPerProject }, () => ({
    kind: 'project' as const,
    url: `${url}/v1/events`,
    headers,
    taskIds,
  }));
  return [...ofTasks, ...ofProject];
}

/** Cancels one task after the other, in turn through the projects. */
async function cancelAll(projects: readonly FollowedProject[], report: (line: string) => void): Promise<Sent[]> {
  const rounds = projects[0]?.tasks.length ?? 0;
  const causes: Promise<Sent>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const { api, tasks } of projects) {
      const taskId = tasks[round]?.taskId;
      if (taskId !== undefined) causes.push(cancel(api, taskId));
      await pause(pauseMilliseconds);
    }
    if (round % 5 === 4) report(`${causes.length} events`);
  }
  return Promise.all(causes);
}

type Sent = Omit<Cause, 'committedAt'>;

async function cancel(api: ApiClient, taskId: string): Promise<Sent> {
  const sentAt = Date.now();
  await api.cancel(taskId);
  return { taskId, sentAt };
}
