import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Evidence } from './evidence.ts';

interface Parts {
  urls: string[];
  apiKey: string;
  answers: Answer[];
  signal: AbortSignal;
}

export interface Clients {
  /** Sends the same request so many times at once, each until it is answered. */
  sendAtOnce(request: { key: string; path: string; body: string }, times: number): Promise<void>;
  /** How many requests are under way; those that wait to be sent again do not count. */
  inFlight(): number;
  /** What was seen beside the answers. */
  seen: Pick<Evidence, 'brokenRequests' | 'comeBacks' | 'firstAnswerSeconds'>;
}

const requestMilliseconds = 20_000;
const patienceMilliseconds = 400_000;
const longestPauseMilliseconds = 5_000;
/** What tells a client to come back, and nothing else does. */
const comeBack = new Set([409, 429, 503]);

export function createClients({ urls, apiKey, answers, signal }: Parts): Clients {
  let inFlight = 0;
  const seen: Clients['seen'] = { brokenRequests: 0, comeBacks: new Map(), firstAnswerSeconds: new Map() };

  const send = async (url: string, key: string, body: string): Promise<Answer | null> => {
    inFlight += 1;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMilliseconds)]),
      });
      const isReplayed = response.headers.get('idempotent-replayed') === 'true';
      return { key, status: response.status, isReplayed, body: await response.text() };
    } catch (error) {
      signal.throwIfAborted();
      // Nobody listens there just now: nothing was sent.
      if (!isRefusedConnection(error)) seen.brokenRequests += 1;
      return null;
    } finally {
      inFlight -= 1;
    }
  };

  const sendUntilAnswered = async (path: string, key: string, body: string): Promise<void> => {
    const startedAt = Date.now();
    for (let pauseMilliseconds = 400; ; pauseMilliseconds = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2)) {
      const url = urls[Math.floor(Math.random() * urls.length)];
      const answer = await send(`${url}${path}`, key, body);
      if (answer && !comeBack.has(answer.status)) {
        answers.push(answer);
        if (!seen.firstAnswerSeconds.has(key)) seen.firstAnswerSeconds.set(key, (Date.now() - startedAt) / 1000);
        return;
      }
      if (answer) seen.comeBacks.set(answer.status, (seen.comeBacks.get(answer.status) ?? 0) + 1);
      if (Date.now() - startedAt > patienceMilliseconds)
        throw new Error(`nobody has answered ${key} for ${patienceMilliseconds / 1000} s`);
      // Whoever found nobody there tries the next one soon; whoever was told to wait waits.
      if (answer === null) pauseMilliseconds = 200;
      await sleep(pauseMilliseconds * (0.5 + Math.random()), undefined, { signal });
    }
  };

  return {
    inFlight: () => inFlight,
    seen,
    async sendAtOnce({ key, path, body }, times) {
      await Promise.all(Array.from({ length: times }, () => sendUntilAnswered(path, key, body)));
    },
  };
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
