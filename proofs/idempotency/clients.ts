import { createApiClient, unlessBroken } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import { type Random, randomFor } from '@kinora/stack/harness/seeded-random';
import type { CreateResponse, Evidence } from './idempotency-evidence.ts';

interface CreateRequest {
  key: string;
  path: string;
  body: string;
}

interface Parts {
  urls: string[];
  apiKey: string;
  responses: CreateResponse[];
  signal: AbortSignal;
}

export interface Clients {
  /** Sends the same request `times` times at once, and retries each until it has a final response. */
  sendAtOnce(request: CreateRequest, times: number): Promise<void>;
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

  const send = async ({ key, path, body }: CreateRequest, random: Random): Promise<CreateResponse | null> => {
    const client = random.pick(clients);
    inFlight += 1;
    const sending = client.post(path, body, { 'idempotency-key': key });
    const response = await unlessBroken(sending, () => (observed.brokenRequests += 1)).finally(() => (inFlight -= 1));
    if (!response) return null;
    const { status, headers, text } = response;
    return { key, status, isReplayed: headers.get('idempotent-replayed') === 'true', body: text };
  };

  const sendUntilResponse = async (request: CreateRequest, random: Random): Promise<void> => {
    const { key } = request;
    const startedAt = Date.now();
    for (let pauseMilliseconds = 400; ; pauseMilliseconds = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2)) {
      const response = await send(request, random);
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
      await pause(pauseMilliseconds * random.between(0.5, 1.5), signal);
    }
  };

  return {
    inFlight: () => inFlight,
    observed,
    async sendAtOnce(request, times) {
      const send = (_: unknown, index: number): Promise<void> =>
        sendUntilResponse(request, randomFor(`idempotency/${request.key} ${index}`));
      await Promise.all(Array.from({ length: times }, send));
    },
  };
}
