import {
  type AttemptRecord,
  failpoints,
  type History,
  type Target,
  type TaskRecord,
  type Thresholds,
} from './history.ts';

const finals = ['completed', 'failed', 'cancelled'];
/** A kill may take effect a moment after it was sent, and rows carry the clock of another process. */
const slackMilliseconds = 1_000;

/** Returns one objection for each thing that must never happen and did, and for each threshold that was missed. */
export function checkHistory(history: History, thresholds: Thresholds): string[] {
  const rules = [
    nothingLost,
    nothingStuck,
    everyEndIsOne,
    onlyRequestedCancels,
    failuresAreExplained,
    attemptsAreExplained,
    nothingLeaks,
  ];
  const more = [oneSubmitPerAttempt, drainsCostNothing, filesAreWhole, nothingUnnamed, readersSawTheTruth];
  return [
    ...[...rules, ...more].flatMap((rule) => rule(history)),
    ...fewFailures(history, thresholds),
    ...enoughWasDone(history, thresholds),
  ];
}

/** Returns the objections to what is left at rest that hold whatever happened before, even if commits were lost. */
export function checkRest(history: History): string[] {
  return [...nothingStuck(history), ...everyEndIsOne(history), ...nothingLeaks(history), ...filesAreWhole(history)];
}

function nothingLost({ posts, tasks }: History): string[] {
  const rows = new Map(tasks.map((task) => [task.id, task]));
  const clients = new Set(posts.map((post) => post.clientId));
  const lost = posts.filter((post) => post.taskId !== null && rows.get(post.taskId)?.clientId !== post.clientId);
  const invented = tasks.filter((task) => task.clientId === null || !clients.has(task.clientId));
  return [
    ...lost.map((post) => `${post.taskId} was accepted and is lost`),
    ...invented.map((task) => `${task.id} was never requested`),
  ];
}

function nothingStuck({ tasks }: History): string[] {
  return tasks
    .filter((task) => !finals.includes(task.status))
    .map((task) => `${task.id} is stuck: ${task.status} in attempt ${task.attempt}`);
}

function everyEndIsOne({ tasks, events, usage }: History): string[] {
  const ends = Map.groupBy(
    events.filter((event) => finals.includes(event.type.replace('video.', ''))),
    (event) => event.taskId,
  );
  const used = Map.groupBy(usage, (row) => row.taskId);
  return tasks.flatMap((task) => {
    if (!finals.includes(task.status)) return [];
    const ended = (ends.get(task.id) ?? []).map((event) => event.type);
    const counted = (used.get(task.id) ?? []).map((row) => row.status);
    return [
      ...(ended.length === 1 ? [] : [`${task.id} has ${ended.length} ends: ${ended.join(', ')}`]),
      ...(ended.every((type) => type === `video.${task.status}`)
        ? []
        : [`${task.id} is ${task.status}, but its event says ${ended.join(', ')}`]),
      ...(counted.length === 1 ? [] : [`${task.id} has ${counted.length} usage rows`]),
      ...(counted.every((status) => status === task.status)
        ? []
        : [`${task.id} is ${task.status}, but its usage says ${counted.join(', ')}`]),
    ];
  });
}

function onlyRequestedCancels({ tasks, cancels }: History): string[] {
  const requested = new Set(cancels.map((cancel) => cancel.taskId));
  const confirmed = new Set(cancels.filter((cancel) => cancel.isConfirmed).map((cancel) => cancel.taskId));
  return tasks.flatMap((task) => [
    ...(task.status === 'cancelled' && !requested.has(task.id) ? [`${task.id} was cancelled without a request`] : []),
    ...(task.status !== 'cancelled' && confirmed.has(task.id)
      ? [`${task.id} was cancelled and then became ${task.status}`]
      : []),
  ]);
}

/** A task may fail only if kills cost it three attempts. */
function failuresAreExplained(history: History): string[] {
  const attempts = Map.groupBy(history.attempts, (attempt) => attempt.taskId);
  return history.tasks
    .filter((task) => task.status === 'failed')
    .flatMap((task) => {
      const killed = (attempts.get(task.id) ?? []).filter((attempt) => isLost(attempt) && hitsOf(history, attempt) > 0);
      if (killed.length >= 3 && task.failedAttempts >= 3) return [];
      return [`${task.id} failed (${task.errorCode}) although kills used up only ${killed.length} attempts`];
    });
}

/** An attempt may be lost only if something was killed while it ran. */
function attemptsAreExplained(history: History): string[] {
  const rows = new Map(history.tasks.map((task) => [task.id, task]));
  return history.attempts.flatMap((attempt) => {
    const name = `attempt ${attempt.attempt} of ${attempt.taskId}`;
    const task = rows.get(attempt.taskId);
    if (!task) return [`${name} belongs to no task`];
    if (attempt.outcome === null) return [`${name} has no outcome, but the task is ${task.status}`];
    if (isLost(attempt) && hitsOf(history, attempt) === 0)
      return [`${name} ended as ${attempt.outcome} although no kill that can lose a job hit it`];
    const isLast = attempt.attempt === task.attempt;
    if ((attempt.outcome === 'completed') !== (isLast && task.status === 'completed')) {
      return [`${name} ended as ${attempt.outcome}, but the task is ${task.status} in attempt ${task.attempt}`];
    }
    return [];
  });
}

function nothingLeaks({ projectSlots, leases, outboxRows, findings, workflows }: History): string[] {
  const taken = projectSlots.filter((row) => row.running !== 0 || row.waiting !== 0);
  // The reconciler repairs miscounts, so all counts are right in the end, but each repair proves a leak.
  const repaired = findings.filter(
    ({ kind }) => kind === 'miscounted' || kind === 'completed-without-end' || kind === 'given-up',
  );
  return [
    ...taken.map(
      (row) => `${row.projectId} has ${row.running} running and ${row.waiting} waiting although every task has ended`,
    ),
    ...leases.flatMap((row) =>
      row.taskId === null ? [] : [`slot ${row.slot} of ${row.endpointId} is still leased to ${row.taskId}`],
    ),
    ...(outboxRows === 0 ? [] : [`${outboxRows} outbox rows are left`]),
    ...repaired.map((finding) => `the reconciler had to act: ${finding.kind} ${finding.taskId ?? ''}`.trimEnd()),
    ...(workflows.running === 0 ? [] : [`${workflows.running} workflows are still running`]),
    ...(workflows.failed === 0 ? [] : [`${workflows.failed} workflows failed`]),
  ];
}

function oneSubmitPerAttempt({ submits, attempts }: History): string[] {
  const counted = Map.groupBy(submits, (jobId) => jobId);
  const named = new Set(attempts.map((attempt) => `${attempt.taskId}-${attempt.attempt}`));
  return [
    ...[...counted].flatMap(([jobId, times]) =>
      times.length === 1 ? [] : [`${jobId} was submitted ${times.length} times`],
    ),
    ...[...counted.keys()].flatMap((jobId) => (named.has(jobId) ? [] : [`${jobId} was submitted without an attempt`])),
    ...attempts.flatMap(({ taskId, attempt, outcome }) =>
      outcome === 'completed' && !counted.has(`${taskId}-${attempt}`)
        ? [`${taskId}-${attempt} completed without a submit`]
        : [],
    ),
  ];
}

function drainsCostNothing({ drains, tasks, cancels }: History): string[] {
  const rows = new Map(tasks.map((task) => [task.id, task]));
  const cancelled = new Set(cancels.map((cancel) => cancel.taskId));
  const hit = drains.flatMap((drain) => drain.taskIds).filter((taskId) => !cancelled.has(taskId));
  return hit.flatMap((taskId) => {
    const task = rows.get(taskId);
    if (task?.attempt === 1 && task.status === 'completed') return [];
    return [
      `${taskId} was running while the worker was stopped: ${task?.status ?? 'lost'} in attempt ${task?.attempt ?? 0}`,
    ];
  });
}

function filesAreWhole({ tasks, objects }: History): string[] {
  const stored = new Map(objects.map((object) => [object.key, object.sha256]));
  return tasks.flatMap((task) =>
    namedBy(task).flatMap((key) => {
      const sha256 = stored.get(key);
      if (sha256 === undefined) return [`${key} is named by its row but missing from the store`];
      const isVideo = key === task.video?.objectKey;
      if (!key.includes(`/${sha256}.`) || (isVideo && sha256 !== task.video?.sha256))
        return [`${key} has bytes that do not match its hash`];
      return [];
    }),
  );
}

function nothingUnnamed({ tasks, objects }: History): string[] {
  const named = new Set(tasks.flatMap(namedBy));
  return objects.flatMap(({ key }) => (named.has(key) ? [] : [`${key} is in the store although no row names it`]));
}

function readersSawTheTruth({ tasks, observations, unexpectedResponses }: History): string[] {
  const rows = new Map(tasks.map((task) => [task.id, task.status]));
  const changed = observations.filter((seen) => finals.includes(seen.status) && rows.get(seen.taskId) !== seen.status);
  return [
    ...changed.map((seen) => `${seen.taskId} was read as ${seen.status} but is ${rows.get(seen.taskId) ?? 'missing'}`),
    ...unexpectedResponses.map(
      ({ request, status, body }) => `${request} got the response ${status}: ${body.slice(0, 200)}`,
    ),
  ];
}

function fewFailures({ tasks }: History, { failedShare }: Thresholds): string[] {
  const failed = tasks.filter((task) => task.status === 'failed').length;
  const uncancelled = tasks.filter((task) => task.status !== 'cancelled').length;
  return failed > uncancelled * failedShare ? [`${failed} of ${uncancelled} tasks failed`] : [];
}

/** Returns one objection for each threshold that was missed. */
export function enoughWasDone(history: History, thresholds: Thresholds): string[] {
  const stages = ['rendering', 'finishing'] as const;
  const done: [what: string, count: number, wanted: number][] = [
    ['tasks', history.tasks.length, thresholds.tasks],
    ['kills', history.kills.length, thresholds.kills],
    ['takeovers whose attempt completed', countFollowed(history), thresholds.followedTakeovers],
    [
      'stops of a rendering worker',
      history.drains.filter((drain) => drain.taskIds.length > 0).length,
      thresholds.drains,
    ],
    ...failpoints.map((name): [string, number, number] => [
      `hits of ${name}`,
      countHits(history, name),
      thresholds.hitsOfEachFailpoint,
    ]),
    ...stages.map((stage): [string, number, number] => [
      `workflows terminated while ${stage}`,
      history.terminations.filter((termination) => termination.stage === stage).length,
      thresholds.terminationsOfEachStage,
    ]),
  ];
  return done.flatMap(([what, count, wanted]) =>
    count < wanted ? [`too little was done: ${count} of ${wanted} ${what}`] : [],
  );
}

/** Counts the attempts that another worker took over and completed. */
export function countFollowed({ attempts }: History): number {
  return attempts.filter((attempt) => attempt.takeovers > 0 && attempt.outcome === 'completed').length;
}

export function countHits({ kills }: History, name: string): number {
  return kills.filter((kill) => kill.failpoint === name).length;
}

function isLost({ outcome }: AttemptRecord): boolean {
  return outcome !== 'completed' && outcome !== 'cancelled' && outcome !== 'refused';
}

/** Only these can lose a job: the engine that runs it, the worker that follows it, and the database that records it. */
const canLoseAJob: readonly Target[] = ['animatic', 'worker', 'postgres'];

/** Counts how often something that can lose a job was killed, or was down after a kill, while the attempt ran. */
function hitsOf({ kills, deaths }: History, { beganAt, endedAt }: AttemptRecord): number {
  const outages = [
    ...kills
      .filter(({ target }) => canLoseAJob.includes(target))
      .map(({ at, readyAt }) => ({ from: at, to: readyAt ?? at })),
    ...deaths.map(({ at }) => ({ from: at, to: at })),
  ];
  return outages.filter(({ from, to }) => to >= beganAt - slackMilliseconds && from <= (endedAt ?? Infinity)).length;
}

function namedBy({ video, imageKey }: TaskRecord): string[] {
  const keys = video ? [video.objectKey, video.thumbnailKey, video.spritesheetKey] : [];
  return imageKey === null ? keys : [...keys, imageKey];
}
