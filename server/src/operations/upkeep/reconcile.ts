import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { failTask } from '../tasks/end-task.ts';
import { type DeliveryFinding, reviveDeliveries } from '../webhooks/revive-deliveries.ts';
import { silentChecks, stageOf, type WorkflowFinding } from './check-silent.ts';
import { runIsolated, type StepFailure } from './run-isolated.ts';

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
  waitLimitHours: number;
  /** How long a task may go without progress or a check before its workflow is checked. */
  silenceSeconds: number;
}

/** What was found wrong, and what was done about it. In a dry run nothing is done. */
export type Finding =
  | { kind: 'miscounted'; projectId: string; livemode: boolean; before: Counts; after: Counts }
  | { kind: 'admitted'; projectId: string; livemode: boolean; count: number }
  | { kind: 'waited-too-long'; taskId: string }
  | { kind: 'lived-too-long'; taskId: string }
  | WorkflowFinding
  | DeliveryFinding;

interface Counts {
  running: number;
  waiting: number;
}

/** A round got through if nothing in it failed. */
export interface Round {
  findings: Finding[];
  failures: StepFailure[];
}

/** 5,000 tasks in about 20 s: a backlog of 10⁶ tasks that waited too long ends within four hours. */
const endsPerRound = 5_000;
/** 2,000: so 20,000 admitted tasks that wait for an engine are all checked within ten rounds. */
const checksPerRound = 2_000;
const checksAtOnce = 20;
/** Three attempts of two hours, six hours of finishing, and two hours of margin. */
const longestRunHours = 14;

/** How far the recounts of many rounds have come. */
export interface RecountTurn {
  /** The last project that was counted, or null if the next round begins with the first. */
  after: string | null;
}

interface Options {
  isDryRun: boolean;
  /** Makes this round count only the next projects. Without it the round counts those of all. */
  turn?: RecountTurn;
}

/**
 * Compares rows with each other and with Temporal, and corrects differences. Only the last two steps need Temporal. A
 * failure ends neither the round nor its step: the other projects and tasks are still seen to.
 */
export async function reconcile(dependencies: Dependencies, { isDryRun, turn }: Options): Promise<Round> {
  const { db, clock, waitLimitHours, silenceSeconds } = dependencies;
  const round: Round = { findings: [], failures: [] };
  const now = clock.now();
  const step = async <Item>(
    name: string,
    read: () => Promise<readonly Item[]>,
    work: (item: Item) => Promise<readonly Finding[]>,
    atOnce = 1,
  ): Promise<void> => {
    const { results, failures } = await runIsolated(name, read, work, atOnce);
    round.findings.push(...results.flat());
    round.failures.push(...failures);
  };

  await step(
    'recount',
    () => (turn ? nextMiscounted(db, turn) : allMiscounted(db)),
    (slots) => recount(dependencies, slots, isDryRun),
  );
  if (!isDryRun)
    await step(
      'admit',
      () => db.projectSlots.withRoom(),
      async (mode) => admittedFinding(mode, await admit(dependencies, mode)),
    );
  await step(
    'wait-limit',
    () => db.openTasks.neverBegunBefore(hoursBefore(now, waitLimitHours), endsPerRound),
    async (taskId) => {
      const failure = { code: 'deadline_exceeded', stage: 'waiting', attempt: 1 } as const;
      const hasEnded = isDryRun || (await failTask(dependencies, taskId, failure));
      return hasEnded ? [{ kind: 'waited-too-long', taskId }] : [];
    },
  );
  // Whatever Temporal says: a task that waits for another attempt in a pool that was removed, or whose workflow runs
  // without progress, would hold its project's slot for good. The slot of a job that may still run drains.
  await step(
    'life-limit',
    () => db.openTasks.acceptedBefore(hoursBefore(now, waitLimitHours + longestRunHours), endsPerRound),
    async ({ taskId, status }) => {
      const failure = { code: 'deadline_exceeded', stage: stageOf(status) } as const;
      const hasEnded = isDryRun || (await failTask(dependencies, taskId, failure));
      return hasEnded ? [{ kind: 'lived-too-long', taskId }] : [];
    },
  );
  const checked: string[] = [];
  const silentSince = new Date(now.getTime() - silenceSeconds * 1000);
  const checkSilent = silentChecks(dependencies, { silentSince, isDryRun });
  await step(
    'silent',
    () => db.openTasks.silentSince(silentSince, checksPerRound),
    async (task) => {
      const finding = await checkSilent(task);
      if (finding === null || finding.kind === 'stuck') checked.push(task.taskId);
      return finding === null ? [] : [finding];
    },
    checksAtOnce,
  );
  await step(
    'mark-checked',
    async () => (isDryRun ? [] : [checked]),
    async (ids) => {
      await db.openTasks.markChecked(ids, clock.now());
      return [];
    },
  );
  await step(
    'deliveries',
    async () => [dependencies],
    (all) => reviveDeliveries(all, isDryRun),
  );
  return round;
}

type SlotCounts = Awaited<ReturnType<Database['projectSlots']['miscounted']>>[number];

/** Counts the next projects of a turn. If that fails, the next round goes on behind them all the same. */
async function nextMiscounted({ projectSlots }: Database, turn: RecountTurn): Promise<SlotCounts[]> {
  const range = await projectSlots.nextToCount(turn.after);
  turn.after = range === null || range.isEnd ? null : range.last;
  return range ? projectSlots.miscounted(range) : [];
}

async function allMiscounted(db: Database): Promise<SlotCounts[]> {
  const turn: RecountTurn = { after: null };
  const found: SlotCounts[] = [];
  do found.push(...(await nextMiscounted(db, turn)));
  while (turn.after !== null);
  return found;
}

async function recount(
  { db, workflows, clock }: Dependencies,
  slots: SlotCounts,
  isDryRun: boolean,
): Promise<Finding[]> {
  const { projectId, livemode } = slots;
  if (isDryRun) return [{ kind: 'miscounted', projectId, livemode, before: slots.before, after: slots.after }];
  // Another relay may have corrected it since: only the recount under the row's lock is reported.
  const { before, after, starts } = await db.transaction(async (tables) => ({
    ...(await tables.projectSlots.recount(slots)),
    starts: await admitTasks(tables, slots, clock.now()),
  }));
  workflows.startSoon(starts);
  const isCorrected = before.running !== after.running || before.waiting !== after.waiting;
  return [
    ...(isCorrected ? [{ kind: 'miscounted' as const, projectId, livemode, before, after }] : []),
    ...admittedFinding(slots, starts.length),
  ];
}

async function admit({ db, workflows, clock }: Dependencies, mode: ProjectMode): Promise<number> {
  const starts = await db.transaction((tables) => admitTasks(tables, mode, clock.now()));
  workflows.startSoon(starts);
  return starts.length;
}

function admittedFinding({ projectId, livemode }: ProjectMode, count: number): Finding[] {
  return count > 0 ? [{ kind: 'admitted', projectId, livemode, count }] : [];
}

function hoursBefore(moment: Date, hours: number): Date {
  return new Date(moment.getTime() - hours * 60 * 60 * 1000);
}
