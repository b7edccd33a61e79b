import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Structured lines on standard output, in the same form as the server's. */
export function createLog(options: { level: string }): Log {
  return pino({
    level: options.level,
    base: { roles: 'animatic', pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
