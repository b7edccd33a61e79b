import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import type { Stack } from '../parts/stack.ts';
import { becomesTrueWithin } from './eventually.ts';
import type { Installation } from './installation.ts';
import { readLogLines } from './log-lines.ts';
import { isEmpty, openDatabase } from './open-database.ts';
import { taskIdOf } from './task-id.ts';

/** An attempt after which the task needed another one. */
interface RepeatedAttempt {
  taskId: string;
  attempt: number;
  outcome: string | null;
  livemode: boolean;
  prompt: string;
}

/** What an installation shows of the faults that it mended by itself. */
export interface RepairEvidence {
  /** What the reconciler has found, as it logs and prints it. */
  findings: readonly { kind?: unknown; [name: string]: unknown }[];
  repeatedAttempts: readonly RepeatedAttempt[];
  /** Messages for Temporal that no process could send. */
  outboxRows: readonly { kind: string; taskId: string | null; tries: number }[];
}

/**
 * Returns one sentence for each fault that the service mended by itself, or is still trying to. In a run without injected
 * faults there must be none: otherwise the repair would hide the fault from tests that only look at how tasks end.
 * If faults were injected, what happened from the first of them on, `before`, is left out.
 */
export async function findSelfRepairs(
  stack: Stack,
  installation: Pick<Installation, 'command'>,
  before: Date | null = null,
): Promise<string[]> {
  await using database = await openDatabase(stack);
  await becomesTrueWithin(hangLimitMilliseconds, () => isEmpty(database, 'select from outbox limit 1'));
  const outbox = await database.query<RepairEvidence['outboxRows'][number]>(
    'select kind, task_id as "taskId", tries from outbox order by id',
  );
  // The relay's next round may be far away.
  const lastRound = (await installation.command('reconcile')).split('\n').filter((line) => line.startsWith('{'));
  const attempts = await database.query<RepeatedAttempt>(
    `select attempts.task_id as "taskId", attempts.attempt, outcome, livemode, prompt
     from attempts join tasks on tasks.id = attempts.task_id
     where attempts.attempt < tasks.attempt and coalesce(ended_at, began_at) < coalesce($1, 'infinity'::timestamptz)
     order by began_at`,
    [before],
  );
  return describeSelfRepairs({
    findings: [
      ...readFindings(stack.info.folder, before),
      ...lastRound.map((line) => JSON.parse(line) as RepairEvidence['findings'][number]),
    ],
    repeatedAttempts: attempts.rows,
    outboxRows: outbox.rows,
  });
}

/** Returns what the reconcilers of all relays have logged, until the moment if there is one. */
function readFindings(folder: string, before: Date | null): RepairEvidence['findings'] {
  return readdirSync(folder)
    .filter((name) => /^relay.*\.log$/.test(name))
    .flatMap((name) => readLogLines(readFileSync(join(folder, name), 'utf8')))
    .filter(({ event, time }) => event === 'reconciler.finding' && (before === null || new Date(time) < before));
}

/** In test mode, these directives make attempts fail. In live mode they are only text. */
const failingDirective = /\[\[(fail|lose|stall)/;

export function describeSelfRepairs({ findings, repeatedAttempts, outboxRows }: RepairEvidence): string[] {
  return [
    ...findings.map(({ kind, taskId, deliveryId, projectId }) => {
      const what = taskId ?? deliveryId ?? projectId;
      return `The reconciler repaired ${String(what)}: ${String(kind)}.`;
    }),
    ...repeatedAttempts
      .filter(({ livemode, prompt }) => livemode || !failingDirective.test(prompt))
      .map(({ taskId, attempt, outcome }) => {
        return `${taskIdOf(taskId)} needed attempt ${attempt + 1}: attempt ${attempt} ended as ${outcome}.`;
      }),
    ...outboxRows.map(({ kind, taskId, tries }) => {
      const whose = taskId === null ? 'a delivery' : taskIdOf(taskId);
      return `A message of the outbox was not sent: ${kind} of ${whose}, after ${tries} tries.`;
    }),
  ];
}
