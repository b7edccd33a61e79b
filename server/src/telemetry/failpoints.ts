import { writeSync } from 'node:fs';
import type { LogEvent } from './log-events.ts';

/** Places where the crash proof kills the process, as a power cut would. */
export const failpointNames = [
  'after-accept-commit',
  'after-answer',
  'after-start',
  'after-begin',
  'after-submit',
  'while-rendering',
  'while-storing-raw',
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
