import { createApiClient, unlessBroken } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import type { CreateResponse, Evidence } from './idempotency-evidence.ts';

interface Parts {
  urls: string[];
  apiKey: string;
  responses: CreateResponse[];
  signal: AbortSignal;
}

export interface Clients {
  /** Sends the same request `times` times at once, and retries each until it has a final response. */
  sendAtOnce(request: { key: string; path: string; body: string }, times: number): Promise<void>;
  /** Returns how many requests are in flight; those that wait for a retry do not count. */
  inFlight(): number;
  /** Evidence besides the responses. */
  observed: Pick<Evidence, 'brokenRequests' | 'retriesByStatus' | 'firstResponseSeconds'>;
}

const requestMilliseconds = 20_000;
const patienceMilliseconds = 400_000;
const longestPauseMilliseconds = 5_000;
/** The only statuses after which a client retries. */
const retryStatuses = new Set([409, 429, 503]);

export function createClients({ urls, apiKey, responses, signal }: Parts): Clients {
  let inFlight = 0;
  const timeoutMilliseconds = requestMilliseconds;
  const clients = urls.map((url) => createApiClient({ url, key: apiKey, signal, timeoutMilliseconds }));
  const observed: Clients['observed'] = {
    brokenRequests: 0,
    retriesByStatus: new Map(),
    firstResponseSeconds: new Map(),
  };

  const send = async (path: string, key: string, body: string): Promise<CreateResponse | null> => {
    const client = clients[Math.floor(Math.random() * clients.length)];
    if (!client) throw new Error('there is no API process');
    inFlight += 1;
    const sending = client.post(path, body, { 'idempotency-key': key });
    const response = await unlessBroken(sending, () => (observed.brokenRequests += 1)).finally(() => (inFlight -= 1));
    if (!response) return null;
    const { status, headers, text } = response;
    return { key, status, isReplayed: headers.get('idempotent-replayed') === 'true', body: text };
  };

  const sendUntilResponse = async (path: string, key: string, body: string): Promise<void> => {
    const startedAt = Date.now();
    for (let pauseMilliseconds = 400; ; pauseMilliseconds = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2)) {
      const response = await send(path, key, body);
      if (response && !retryStatuses.has(response.status)) {
        responses.push(response);
        if (!observed.firstResponseSeconds.has(key))
          observed.firstResponseSeconds.set(key, (Date.now() - startedAt) / 1000);
        return;
      }
      if (response)
        observed.retriesByStatus.set(response.status, (observed.retriesByStatus.get(response.status) ?? 0) + 1);
      if (Date.now() - startedAt > patienceMilliseconds)
        throw new Error(`${key} got no final response within ${patienceMilliseconds / 1000} s`);
      // After a broken connection the client soon tries another process; after a response it backs off.
      if (response === null) pauseMilliseconds = 200;
      await pause(pauseMilliseconds * (0.5 + Math.random()), signal);
    }
  };

  return {
    inFlight: () => inFlight,
    observed,
    async sendAtOnce({ key, path, body }, times) {
      await Promise.all(Array.from({ length: times }, () => sendUntilResponse(path, key, body)));
    },
  };
}
