import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Structured lines on standard output, one an event. Callers add ids; never a prompt, a key or a signed URL. */
export function createLog(options: { level: string; roles: readonly string[] }): Log {
  return pino({
    level: options.level,
    base: { roles: options.roles.join('+'), pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['req.headers.authorization', 'headers.authorization'], censor: '[redacted]' },
  });
}
