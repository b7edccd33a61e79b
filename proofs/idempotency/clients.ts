import { createApiClient, unlessBroken } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import type { Answer, Evidence } from './idempotency-evidence.ts';

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
  seen: Pick<Evidence, 'brokenRequests' | 'comeBacks' | 'firstResponseSeconds'>;
}

const requestMilliseconds = 20_000;
const patienceMilliseconds = 400_000;
const longestPauseMilliseconds = 5_000;
/** What tells a client to come back, and nothing else does. */
const comeBack = new Set([409, 429, 503]);

export function createClients({ urls, apiKey, answers, signal }: Parts): Clients {
  let inFlight = 0;
  const timeoutMilliseconds = requestMilliseconds;
  const clients = urls.map((url) => createApiClient({ url, key: apiKey, signal, timeoutMilliseconds }));
  const seen: Clients['seen'] = { brokenRequests: 0, comeBacks: new Map(), firstResponseSeconds: new Map() };

  const send = async (path: string, key: string, body: string): Promise<Answer | null> => {
    const client = clients[Math.floor(Math.random() * clients.length)];
    if (!client) throw new Error('there is no API process');
    inFlight += 1;
    const sending = client.post(path, body, { 'idempotency-key': key });
    const answer = await unlessBroken(sending, () => (seen.brokenRequests += 1)).finally(() => (inFlight -= 1));
    if (!answer) return null;
    const { status, headers, text } = answer;
    return { key, status, isReplayed: headers.get('idempotent-replayed') === 'true', body: text };
  };

  const sendUntilResponse = async (path: string, key: string, body: string): Promise<void> => {
    const startedAt = Date.now();
    for (let pauseMilliseconds = 400; ; pauseMilliseconds = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2)) {
      const answer = await send(path, key, body);
      if (answer && !comeBack.has(answer.status)) {
        answers.push(answer);
        if (!seen.firstResponseSeconds.has(key)) seen.firstResponseSeconds.set(key, (Date.now() - startedAt) / 1000);
        return;
      }
      if (answer) seen.comeBacks.set(answer.status, (seen.comeBacks.get(answer.status) ?? 0) + 1);
      if (Date.now() - startedAt > patienceMilliseconds)
        throw new Error(`nobody has answered ${key} for ${patienceMilliseconds / 1000} s`);
      // Whoever found nobody there tries the next one soon; whoever was told to wait waits.
      if (answer === null) pauseMilliseconds = 200;
      await pause(pauseMilliseconds * (0.5 + Math.random()), signal);
    }
  };

  return {
    inFlight: () => inFlight,
    seen,
    async sendAtOnce({ key, path, body }, times) {
      await Promise.all(Array.from({ length: times }, () => sendUntilResponse(path, key, body)));
    },
  };
}
