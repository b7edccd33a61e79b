import type { Kinora } from '@kinora/sdk';
import { findCredentials } from './credentials.ts';
import { UsageError } from './exit-codes.ts';
import { createPaint, type Paint, unpainted } from './terminal/paint.ts';
import { watchedFetch } from './watched-fetch.ts';

/** How a command wants its client. */
interface ClientOptions {
  /** How often a request is sent again; what takes long anyway has more patience. */
  maxRetries?: number;
  /** Told why it takes so long; a remark unless something else is given. */
  onTrouble?: (text: string) => void;
  /** Told the idempotency key of a create that had been made before. */
  onReplay?: (idempotencyKey: string) => void;
}

/** Some seconds: somebody sits there and waits for an answer. */
const usualRetries = 3;

/** What every command is handed. */
export interface Context {
  /** The client, made when it is first needed: a missing key must not keep `--help` from working. */
  kinora: (options?: ClientOptions) => Promise<Kinora>;
  /** `--json`: one JSON value on stdout, or one a line where there are many; nothing else is written there. */
  isJson: boolean;
  /** Somebody looks at stderr: bars are drawn there. */
  isTerminal: boolean;
  /** Colours for stderr. */
  paint: Paint;
  /** A result, to stdout: text, or with `--json` its value. */
  print: (text: string, value: unknown) => void;
  /** A remark for people, to stderr; never with `--json`. */
  remark: (text: string) => void;
}

export function createContext({ isJson }: { isJson: boolean }): Context {
  const isTerminal = process.stderr.isTTY && !isJson && process.env['TERM'] !== 'dumb';
  const remark = (text: string) => {
    if (!isJson) process.stderr.write(`${text}\n`);
  };
  return {
    kinora: async ({ maxRetries = usualRetries, onTrouble = remark, onReplay } = {}) => {
      const { Kinora } = await import('@kinora/sdk');
      const { baseUrl, apiKey } = await findCredentials(process.env);
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
    isJson,
    isTerminal,
    paint: isTerminal ? createPaint(process.env) : unpainted,
    print: (text, value) => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`),
    remark,
  };
}

/** Five tries are one remark. */
function onlyOnce(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) say(text);
    said.add(text);
  };
}
