import type { ProofOutcome, ProofTier } from '../proof.ts';
import type { WalUse } from './read-wal.ts';
import type { RunningCost } from './running-jobs.ts';

/** Measurements: history events of each plain task and of one with a takeover, and the WAL of the plain tasks. */
export interface Cost {
  events: number[];
  eventsWithTakeover: number;
  wal: WalUse;
  /** Only at night, because it takes minutes. */
  running: RunningCost | null;
  withWebhook: {
    events: number[];
    wal: WalUse;
    /** Webhooks per task, each of which the receiver accepts at the first try. */
    webhooks: number;
    /** How many milliseconds after its delivery each workflow of a delivery began. */
    deliveryWorkflows: number[];
  };
}

const limits = { plainEvents: 11, events: 25, commits: 5 };
/** Of a running job, per second, in Temporal's databases. */
const runningLimits = { walBytes: 80, commits: 0.03 };
/** The relay leaves younger rows of the outbox to their writer, on any machine, so an earlier start is a fault. */
const relayMilliseconds = 2_000;
/** The share of deliveries whose workflow the relay may start. In the gate, the machine may stall as it likes. */
const mostRelayedShare: Record<ProofTier, number> = { gate: 0.5, night: 0.05 };
/** A task needs at least three commits: accept, begin, finish. */
const fewestCommits = 3;

/** Returns the cost per task, and an objection to each cost that is too high. */
export function judgeCost(
  { events, eventsWithTakeover, wal, withWebhook, running }: Cost,
  tier: ProofTier,
): ProofOutcome {
  const commitsOf = (kind: CommitKind, use = wal, tasks = events.length): number => {
    const ofKind = use.commits.filter(({ tables }) => kindOf(tables) === kind);
    return Math.round((ofKind.reduce((sum, commit) => sum + commit.count, 0) / tasks) * 100) / 100;
  };
  const commits = commitsOf('task');
  const notifiedTasks = withWebhook.events.length;
  const commitsWithWebhooks = commitsOf('task', withWebhook.wal, notifiedTasks);
  const mostWithWebhooks = limits.commits + withWebhook.webhooks;
  const early = withWebhook.deliveryWorkflows.filter((milliseconds) => milliseconds < relayMilliseconds).length;
  const relayed = withWebhook.deliveryWorkflows.length - early;
  const mostRelayed = Math.max(1, mostRelayedShare[tier] * notifiedTasks * withWebhook.webhooks);
  const sorted = events.toSorted((one, other) => one - other);
  const plainEvents = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const perJob = running && perRunningJob(running);
  const mostEvents = Math.max(...events, ...withWebhook.events, eventsWithTakeover);
  return {
    figures: {
      tasks: events.length,
      historyEvents: plainEvents,
      historyEventsMost: sorted.at(-1) ?? 0,
      historyEventsWithTakeover: eventsWithTakeover,
      commitsPerTask: commits,
      outboxDeletesPerTask: commitsOf('outbox'),
      liveWritesPerTask: commitsOf('unlogged'),
      walBytesPerTask: Math.round(wal.ourBytes / events.length),
      walPageImageBytesPerTask: Math.round(wal.ourPageImageBytes / events.length),
      temporalWalBytesPerTask: Math.round(wal.temporalBytes / events.length),
      webhooksPerTask: withWebhook.webhooks,
      deliveryWorkflows: withWebhook.deliveryWorkflows.length,
      commitsPerTaskWithWebhooks: commitsWithWebhooks,
      walBytesPerTaskWithWebhooks: Math.round(withWebhook.wal.ourBytes / notifiedTasks),
      temporalWalBytesPerTaskWithWebhooks: Math.round(withWebhook.wal.temporalBytes / notifiedTasks),
      ...perJob,
      commitsByTables: wal.commits.map(({ tables, count }) => `${tables.join('+') || 'unlogged'} ${count}`).join(', '),
    },
    failures: [
      ...(plainEvents > limits.plainEvents
        ? [`a plain task has ${plainEvents} history events; ${limits.plainEvents} are promised`]
        : []),
      ...(eventsWithTakeover <= plainEvents
        ? [`the task whose worker was killed has only ${eventsWithTakeover} history events, so no takeover happened`]
        : []),
      ...(mostEvents > limits.events ? [`a task had ${mostEvents} history events; ${limits.events} are allowed`] : []),
      ...(commits > limits.commits ? [`a task took ${commits} commits; ${limits.commits} are allowed`] : []),
      ...(commits < fewestCommits
        ? [`only ${commits} commits per task were found in the WAL, so the count is wrong`]
        : []),
      ...(commitsWithWebhooks > mostWithWebhooks
        ? [`a task with webhooks took ${commitsWithWebhooks} commits; ${mostWithWebhooks} are allowed`]
        : []),
      ...(commitsWithWebhooks < fewestCommits + withWebhook.webhooks
        ? [`only ${commitsWithWebhooks} commits per task with webhooks were found, so the count is wrong`]
        : []),
      ...(perJob && perJob.temporalWalBytesPerJobSecond > runningLimits.walBytes
        ? [`a running job costs Temporal ${perJob.temporalWalBytesPerJobSecond} bytes of WAL per second`]
        : []),
      ...(perJob && perJob.temporalCommitsPerJobSecond > runningLimits.commits
        ? [`a running job costs Temporal ${perJob.temporalCommitsPerJobSecond} commits per second`]
        : []),
      ...(early > 0
        ? [`${early} deliveries had a workflow before the relay may start one; a first try that is accepted needs none`]
        : []),
      ...(relayed > mostRelayed
        ? [`the relay started the workflows of ${relayed} deliveries; ${mostRelayed} are allowed`]
        : []),
    ],
  };
}

/** What jobs and endpoints cost per second, without page images. Idle use is of the endpoints and of the roles themselves. */
function perRunningJob({ endpoints, jobs, seconds, idle, busy }: RunningCost) {
  const commitsOf = ({ commits }: WalUse): number => commits.reduce((sum, { count }) => sum + count, 0);
  const temporalBytes = (use: WalUse): number => use.temporalBytes - use.temporalPageImageBytes;
  const each = (busyUse: number, idleUse: number): number =>
    Math.round(((busyUse - idleUse) / jobs / seconds) * 10_000) / 10_000;
  return {
    temporalWalBytesPerJobSecond: each(temporalBytes(busy), temporalBytes(idle)),
    temporalCommitsPerJobSecond: each(busy.temporalCommits, idle.temporalCommits),
    walBytesPerJobSecond: each(busy.ourBytes, idle.ourBytes),
    commitsPerJobSecond: each(commitsOf(busy), commitsOf(idle)),
    walBytesPerEndpointSecond: Math.round(idle.ourBytes / endpoints / seconds),
    commitsPerEndpointSecond: Math.round((commitsOf(idle) / endpoints / seconds) * 1_000) / 1_000,
  };
}

type CommitKind = 'task' | 'outbox' | 'unlogged' | 'upkeep';

/**
 * Returns what a commit was for. Deletions from the outbox come in batches, and `live` is unlogged, so both are counted
 * separately. Catalogues are written by Postgres itself.
 */
function kindOf(tables: readonly string[]): CommitKind {
  if (tables.length === 0) return 'unlogged';
  if (tables.every((table) => table === 'outbox')) return 'outbox';
  return tables.every((table) => table.startsWith('pg_')) ? 'upkeep' : 'task';
}
