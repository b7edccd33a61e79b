import { pino } from 'pino';
import type { LogEvent } from './log-events.ts';
import { isOutage } from './outages.ts';
import { createRepeats } from './repeats.ts';

/** Ids, durations in named units, and the error as `err`; never a prompt, a key or a signed URL. */
interface LogFields {
  event: LogEvent;
  err?: unknown;
  [name: string]: unknown;
}

type Write = (fields: LogFields, message: string) => void;

/** Structured lines, one per event. The message is a short phrase for people; code matches the event. */
export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  fatal: Write;
}

interface LogOptions {
  level: string;
  roles: readonly string[];
  /** Recognises lost and refused connections. */
  isConnectionError?: (error: unknown) => boolean;
  /** Takes each line instead of standard output. */
  write?: (line: string) => void;
  now?: () => number;
}

const longestMessage = 500;

/**
 * Creates a log that writes to standard output. An error that repeats is written at most once per 30 s, with the number
 * of lines left out since. The error of an outage has no stack, and lines that differ only in their ids count as repeats.
 */
export function createLog(options: LogOptions): Log {
  const { level, roles, isConnectionError = () => false, now = Date.now } = options;
  const settings = {
    level,
    base: { roles: roles.join('+'), pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (described: unknown) => described },
    redact: { paths: ['req.headers.authorization', 'headers.authorization'], censor: '[redacted]' },
  };
  const lines = options.write ? pino(settings, { write: options.write }) : pino(settings);
  const repeats = createRepeats(now);

  const writeAt =
    (at: keyof Log): Write =>
    (fields, message) => {
      const { err, ...others } = fields;
      if (!lines.isLevelEnabled(at)) return;
      if (err === undefined) return lines[at](others, message);
      const isKnown = typeof err === 'string' || isOutage(err, isConnectionError);
      const described = isKnown ? withoutStack(err) : pino.stdSerializers.err(asError(err));
      const words = withoutNumbers(`${message} ${String(described.code)} ${described.message}`);
      const key = [at, isKnown ? fields.event : JSON.stringify(others), words].join('\n');
      const leftOut = at === 'fatal' ? 0 : repeats.admit(key);
      if (leftOut === null) return;
      lines[at]({ ...others, err: described, ...(leftOut > 0 ? { repeated: leftOut } : {}) }, message);
    };
  return {
    debug: writeAt('debug'),
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    fatal: writeAt('fatal'),
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function withoutStack(thrown: unknown): { type?: string; code?: unknown; message: string } {
  if (typeof thrown === 'string') return { message: thrown.slice(0, longestMessage) };
  const { type, code, message, aggregateErrors } = pino.stdSerializers.err(asError(thrown));
  // A connection attempt to several addresses fails with an AggregateError, whose own message is empty.
  const words = message === '' ? (aggregateErrors?.[0]?.message ?? '') : message;
  return { type, ...(code === undefined ? {} : { code }), message: words.slice(0, longestMessage) };
}

/** Repeats of a message often differ only in ports, times and counts. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}
