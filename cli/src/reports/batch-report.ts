import type { Task } from '@kinora/sdk';
import type { Context } from '../context.ts';
import type { Job } from '../read-jobs.ts';
import { errorAsJson } from '../terminal/describe-error.ts';
import { createLiveLines } from '../terminal/live-lines.ts';
import { oneLine } from '../terminal/one-line.ts';
import { plainLine, plainLineKey, progressLine, startingLine } from '../terminal/progress-line.ts';
import { renderTable } from '../terminal/table.ts';
import type { Screen } from './task-report.ts';

/** How a job of a batch ended. */
export interface Ending {
  /** `kept`: the file already exists, so nothing was done. */
  outcome: 'completed' | 'kept' | 'failed' | 'cancelled';
  path?: string;
  task?: Task;
  /** Why there is no video. */
  error?: unknown;
}

/** Shows the progress of a batch. */
export interface BatchReport extends Screen {
  start(job: Job): void;
  progress(job: Job, task: Task): void;
  done(job: Job, ending: Ending): void;
  /** Prints a remark that is not overwritten. */
  note(text: string): void;
  /** Prints a warning of the service about a line. The same warning for many lines is printed once. */
  warn(job: Job, message: string): void;
  /** Prints the summary and returns the counts. */
  end(): { failed: number; cancelled: number; missing: number };
}

/** Shows a bar per running job and a total in a terminal, lines in a log, and one JSON line per job with `--json`. */
export function createBatchReport(
  context: Context,
  { total, outputFolder }: { total: number; outputFolder: string },
): BatchReport {
  const { isJson, isTerminal, columns, print, remark, paint } = context;
  const live = isTerminal ? createLiveLines(process.stderr) : null;
  const running = new Map<Job, Task | null>();
  const endings = new Map<Job, Ending>();
  const lastLines = new Map<Job, string>();
  const warnings = new Set<string>();
  const count = (outcome: Ending['outcome']) => [...endings.values()].filter((one) => one.outcome === outcome).length;

  const note = (text: string) => (live ? live.print(text) : remark(text));
  const render = (columns: number) => [
    ...inOrder(running).map(([{ output }, task]) => {
      const label = oneLine(output);
      return task ? progressLine(task, { columns, label, paint }) : startingLine(label, columns);
    }),
    `${endings.size} of ${total} done${count('failed') > 0 ? paint('bad', `, ${count('failed')} failed`) : ''}`,
  ];

  return {
    start(job) {
      running.set(job, null);
      live?.show(render);
    },
    progress(job, task) {
      running.set(job, task);
      if (live) return live.show(render);
      const key = plainLineKey(task);
      if (lastLines.get(job) !== key) remark(`${oneLine(job.output)}: ${plainLine(task)}`);
      lastLines.set(job, key);
    },
    done(job, ending) {
      running.delete(job);
      endings.set(job, ending);
      if (isJson) {
        const { error, ...rest } = ending;
        print('', { line: job.line, output: job.output, ...rest, ...(error ? errorAsJson(error) : {}) });
      }
      if (live) live.show(render);
      else remark(`${oneLine(job.output)}: ${ending.outcome}${ending.error ? `: ${reasonOf(ending.error)}` : ''}`);
    },
    note,
    warn(job, message) {
      if (!warnings.has(message)) note(`line ${job.line}: ${oneLine(message)}`);
      warnings.add(message);
    },
    pause: () => live?.pause(),
    resume: () => live?.resume(),
    end() {
      live?.end();
      const missing = total - endings.size;
      if (!isJson)
        print(
          `${renderEndings(endings, columns)}\n\n${tally(count, missing)}${outputFolder === '.' ? '' : `, in ${outputFolder}`}`,
          null,
        );
      return { failed: count('failed'), cancelled: count('cancelled'), missing };
    },
  };
}

function renderEndings(endings: ReadonlyMap<Job, Ending>, columns: number): string {
  const rows = inOrder(endings).map(([{ line, output }, { outcome, task, error }]) => [
    String(line),
    outcome,
    task ? secondsOf(task) : '–',
    outcome === 'failed' ? reasonOf(error) : output,
  ]);
  return renderTable(['line', 'outcome', 'seconds', { title: 'file', shrinksTo: 20, wraps: true }], rows, columns);
}

/** Sorts jobs by their line in the file. */
function inOrder<Value>(jobs: ReadonlyMap<Job, Value>): [Job, Value][] {
  return [...jobs].sort(([one], [other]) => one.line - other.line);
}

function tally(count: (outcome: Ending['outcome']) => number, missing: number): string {
  const outcomes = ['completed', 'kept', 'failed', 'cancelled'] as const;
  const words = outcomes.flatMap((outcome) => (count(outcome) > 0 ? [`${count(outcome)} ${outcome}`] : []));
  return [...words, ...(missing > 0 ? [`${missing} not started`] : [])].join(', ');
}

function reasonOf(error: unknown): string {
  return errorAsJson(error).error.message;
}

function secondsOf({ created_at: createdAt, completed_at: completedAt }: Task): string {
  return completedAt === null ? '–' : String(completedAt - createdAt);
}
