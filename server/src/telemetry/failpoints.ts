import { writeSync } from 'node:fs';
import type { LogEvent } from './log-events.ts';

/** Where the crash proof kills the process, in the order of a task's life, and what saves the task then. */
export const failpointNames = [
  // The outbox: the caller gets no response, but the task runs.
  'after-accept-commit',
  // The relay starts the workflow.
  'after-answer',
  // The relay repeats the start; Temporal keeps the existing workflow.
  'after-start',
  // `follow`: the engine does not know the job, so the task is retried.
  'after-begin',
  // `follow` finds the job by the id that begin stored.
  'after-submit',
  // `follow` continues to poll the same job.
  'while-rendering',
  // `follow` fetches the output again; the engine still has it.
  'while-storing-raw',
  // `follow` fetches the output again, and `finish` is repeated; the same bytes get the same keys.
  'after-upload',
] as const;

export type FailpointName = (typeof failpointNames)[number];

let armed: ReadonlySet<string> = new Set();

/** Arms the named failpoints for this process; without this call each of them is inert. */
export function armFailpoints(names: readonly FailpointName[]): void {
  armed = new Set(names);
}

/** Ends this process with SIGKILL if the failpoint is armed. Nothing is flushed or handed over: that is the point. */
export function failpoint(name: FailpointName): void {
  if (!armed.has(name)) return;
  const event: LogEvent = 'failpoint.hit';
  const line = {
    level: 60,
    time: new Date().toISOString(),
    pid: process.pid,
    event,
    failpoint: name,
    msg: 'failpoint hit',
  };
  writeSync(2, `${JSON.stringify(line)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
