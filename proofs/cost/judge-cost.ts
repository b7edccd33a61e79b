import type { ProofOutcome } from '../proof.ts';
import type { WalUse } from './read-wal.ts';

/** What was measured: history events of each plain task, of one that was taken over, and the log of the plain ones. */
export interface Cost {
  events: number[];
  eventsWithTakeover: number | null;
  wal: WalUse;
}

const limits = { plainEvents: 17, events: 25, commits: 5 };
/** A task cannot do with fewer: accept, begin, finish. */
const fewestCommits = 3;

/** The cost of a task, and what is too much of it. */
export function judgeCost({ events, eventsWithTakeover, wal }: Cost): ProofOutcome {
  const perTask = (total: number): number => Math.round((total / events.length) * 100) / 100;
  const commitsOf = (kind: CommitKind): number =>
    perTask(wal.commits.filter(({ tables }) => kindOf(tables) === kind).reduce((sum, commit) => sum + commit.count, 0));
  const commits = commitsOf('task');
  const sorted = events.toSorted((one, other) => one - other);
  const plainEvents = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const mostEvents = Math.max(...events, eventsWithTakeover ?? 0);
  return {
    figures: {
      tasks: events.length,
      historyEvents: plainEvents,
      historyEventsMost: sorted.at(-1) ?? 0,
      historyEventsWithTakeover: eventsWithTakeover ?? 'not measured',
      commitsPerTask: commits,
      outboxDeletesPerTask: commitsOf('outbox'),
      liveWritesPerTask: commitsOf('unlogged'),
      walBytesPerTask: Math.round(wal.ourBytes / events.length),
      walPageImageBytesPerTask: Math.round(wal.ourPageImageBytes / events.length),
      temporalWalBytesPerTask: Math.round(wal.temporalBytes / events.length),
      commitsByTables: wal.commits.map(({ tables, count }) => `${tables.join('+') || 'unlogged'} ${count}`).join(', '),
    },
    failures: [
      ...(plainEvents > limits.plainEvents
        ? [`a plain task has ${plainEvents} history events, ${limits.plainEvents} are promised`]
        : []),
      ...(eventsWithTakeover !== null && eventsWithTakeover <= plainEvents
        ? [`the task that should be taken over has ${eventsWithTakeover} history events: it was not`]
        : []),
      ...(mostEvents > limits.events ? [`a task had ${mostEvents} history events, ${limits.events} are allowed`] : []),
      ...(commits > limits.commits ? [`a task took ${commits} commits, ${limits.commits} are allowed`] : []),
      ...(commits < fewestCommits
        ? [`only ${commits} commits a task were found in the log: they were not counted rightly`]
        : []),
    ],
  };
}

type CommitKind = 'task' | 'outbox' | 'unlogged' | 'upkeep';

/** Rows of the outbox are deleted in batches and `live` is not logged: both are counted apart. Catalogues are Postgres's own. */
function kindOf(tables: readonly string[]): CommitKind {
  if (tables.length === 0) return 'unlogged';
  if (tables.every((table) => table === 'outbox')) return 'outbox';
  return tables.every((table) => table.startsWith('pg_')) ? 'upkeep' : 'task';
}
