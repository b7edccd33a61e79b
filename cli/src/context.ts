import type { Kinora } from '@kinora/sdk';
import { findCredentials } from './credentials.ts';
import { UsageError } from './exit-codes.ts';
import { createPaint, type Paint, unpainted } from './terminal/paint.ts';
import { watchedFetch } from './watched-fetch.ts';

/** The options of every command, as commander parses them. */
export interface GlobalOptions {
  json?: boolean;
  quiet?: boolean;
  profile?: string;
}

/** Options of a command's client. */
interface ClientOptions {
  /** How many times a request is retried. Commands that take long anyway use more. */
  maxRetries?: number;
  /** Called with the reason for a delay. By default it is written to stderr as a remark. */
  onTrouble?: (text: string) => void;
  /** Called with the idempotency key of a create whose task an earlier request had already made. */
  onReplay?: (idempotencyKey: string) => void;
}

/** 3 retries take a few seconds, because a person is waiting for the result. */
const usualRetries = 3;

/** What every command gets. */
export interface Context {
  /** Creates the client. It is called late, because `--help` must work without a key. */
  kinora: (options?: ClientOptions) => Promise<Kinora>;
  /** The name after `--profile`, if there is one. */
  profile: string | undefined;
  /** `--json`: stdout gets one JSON value, or one per line if there are several, and nothing else. */
  isJson: boolean;
  /** The width of the terminal behind stdout. Infinite if there is none: a pipe gets everything. */
  columns: number;
  /** Whether stderr is a terminal, so that progress bars are drawn there. */
  isTerminal: boolean;
  /** Colours for stderr. */
  paint: Paint;
  /** Prints a result to stdout: its text, or with `--json` its value. */
  print: (text: string, value: unknown) => void;
  /** Prints a remark for people to stderr; prints nothing with `--json` or `--quiet`. */
  remark: (text: string) => void;
}

/** Creates the context of a command from the global options and the environment. */
export function createContext({ json: isJson = false, quiet: isQuiet = false, profile }: GlobalOptions): Context {
  const isTerminal = process.stderr.isTTY && !isJson && !isQuiet && process.env['TERM'] !== 'dumb';
  const remark = (text: string) => {
    if (!isJson && !isQuiet) process.stderr.write(`${text}\n`);
  };
  return {
    kinora: async ({ maxRetries = usualRetries, onTrouble = remark, onReplay } = {}) => {
      const { Kinora } = await import('@kinora/sdk');
      const { baseUrl, apiKey } = await findCredentials(process.env, profile);
      if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
        throw new UsageError(`"${baseUrl}" is not the address of a service: it must start with https:// or http://.`);
      }
      return new Kinora({
        baseUrl,
        apiKey,
        maxRetries,
        fetch: watchedFetch({ onTrouble: onlyOnce(onTrouble), onReplay }),
      });
    },
    profile,
    isJson,
    columns: columnsOf(process.stdout),
    isTerminal,
    paint: isTerminal ? createPaint(process.env) : unpainted,
    print: (text, value) => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`),
    remark,
  };
}

/** Some terminals do not say how wide they are. Below 40 columns nothing is readable, so there the terminal wraps. */
function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY && columns > 0 ? Math.max(40, columns) : Number.POSITIVE_INFINITY;
}

/** Passes each text on only once, so that five retries make one remark. */
function onlyOnce(print: (text: string) => void): (text: string) => void {
  const printed = new Set<string>();
  return (text) => {
    if (!printed.has(text)) print(text);
    printed.add(text);
  };
}
