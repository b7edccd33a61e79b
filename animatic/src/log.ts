import { pino } from 'pino';
import type { LogEvent } from './log-events.ts';

/** Ids, durations in named units, and the error as `err`; never a prompt. */
interface LogFields {
  event: LogEvent;
  err?: unknown;
  [name: string]: unknown;
}

type Write = (fields: LogFields, message: string) => void;

/** Structured lines, one per event. The message is a short phrase for people; code matches the event. */
export interface Log {
  info: Write;
  warn: Write;
  error: Write;
  fatal: Write;
}

/** Writes to standard output, in the same form as the server. */
export function createLog(options: { level: string }): Log {
  return pino({
    level: options.level,
    base: { roles: 'animatic', pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
