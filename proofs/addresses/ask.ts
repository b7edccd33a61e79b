import { setTimeout as sleep } from 'node:timers/promises';
import type { Column, Ending } from './case.ts';
import type { Deliveries } from './deliveries.ts';

/** How a URL fared; `broken` is what must never be an answer to one. */
export interface Fate {
  ending: Ending | 'broken';
  /** The code, reason or status behind it, for messages. */
  detail: string;
}

export type Ask = (url: string) => Promise<Fate>;

export interface Api {
  url: string;
  key: string;
}

const patienceMilliseconds = 60_000;
const mostAttempts = 20;
const callbackCreators = 4;

const endingOfImageCode: Record<string, Ending> = {
  invalid_parameter: 'request',
  image_forbidden_address: 'address',
  image_unreachable: 'unreachable',
  image_too_large: 'size',
  image_unsupported_format: 'content',
  image_bad_dimensions: 'content',
  image_undecodable: 'content',
};

const endingOfReason: Record<string, Ending> = {
  bad_url: 'request',
  scheme: 'request',
  credentials: 'request',
  port: 'address',
  forbidden_address: 'address',
  unresolvable: 'unreachable',
  too_many_redirects: 'unreachable',
  bad_redirect: 'unreachable',
  timeout: 'unreachable',
  headers_too_large: 'unreachable',
  connection_failed: 'unreachable',
  bad_encoding: 'unreachable',
  too_large: 'size',
};

/** How each column is asked for a URL. */
export function createAsks(api: Api, fetcherUrl: string, deliveries: Deliveries): Record<Column, Ask> {
  // A callback mostly waits for its turn: many may, but only a few ask the API at once.
  const creating = createGate(callbackCreators);
  return {
    image_url: async (url) => {
      const body = { prompt: 'A picture moves', image_url: url };
      const { status, text } = await post(api, '/v1/videos/image-to-video', body, { mayRepeat: false });
      if (status === 200) return { ending: 'fetched', detail: '200' };
      return readRefusal(status, text, endingOfImageCode, url);
    },
    // What needs no exception is asked for by the rules of an installation that makes none.
    result_url: (url) => askFetcher(fetcherUrl, url, url.startsWith('https://') ? 'strict' : 'relaxed'),
    callback_url: async (url) => {
      const made = await creating(async () => {
        const body = { prompt: 'A bell rings', callback_url: url };
        const { status, text } = await post(api, '/v1/videos/text-to-video', body, { mayRepeat: true });
        if (status !== 200) return { refused: readRefusal(status, text, { invalid_parameter: 'request' }, url) };
        const { task_id: taskId } = JSON.parse(text) as { task_id: string };
        await post(api, `/v1/videos/${taskId}/cancel`, {}, { mayRepeat: true });
        return { taskId };
      });
      if (made.refused) return made.refused;
      const { isDelivered, status: answered, reason } = await deliveries.ended(made.taskId);
      if (isDelivered) return { ending: 'fetched', detail: String(answered) };
      // Whatever answered was no 2xx.
      if (answered !== null) return { ending: 'unreachable', detail: String(answered) };
      return { ending: endingOfReason[reason ?? ''] ?? 'broken', detail: reason ?? 'no reason' };
    },
  };
}

/** Through the guarded fetcher itself, under one of the policies of its fixture. */
export async function askFetcher(
  fetcherUrl: string,
  url: string,
  policy: 'strict' | 'relaxed' | 'open',
): Promise<Fate> {
  const response = await fetch(`${fetcherUrl}/fetch`, {
    method: 'POST',
    body: JSON.stringify({ url, policy }),
    ...patience(),
  });
  if (response.status !== 200) return { ending: 'broken', detail: await response.text() };
  // The fixture's own two shapes.
  const answer = (await response.json()) as { refused: string } | { status: number; sizeBytes: number };
  if ('refused' in answer) return { ending: endingOfReason[answer.refused] ?? 'broken', detail: answer.refused };
  return { ending: answer.status === 200 ? 'fetched' : 'unreachable', detail: String(answer.status) };
}

/** A refusal must be one of those meant for the purpose, and say nothing of where the URL led. */
function readRefusal(status: number, text: string, endings: Record<string, Ending>, url: string): Fate {
  // Every error of the API has this shape; another one is thrown on below.
  const { error } = JSON.parse(text) as { error: { code: string; message: string } };
  const ending = status === 400 ? endings[error.code] : undefined;
  const told = /\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]{3,}\]|\/etc\/|ECONN|ENOTFOUND|::1/.exec(error.message);
  if (told && !url.includes(told[0]))
    return { ending: 'broken', detail: `the answer tells too much: ${error.message}` };
  return { ending: ending ?? 'broken', detail: `${status} ${error.code}` };
}

async function post(
  { url, key }: Api,
  path: string,
  body: unknown,
  { mayRepeat }: { mayRepeat: boolean },
): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), ...patience() });
    const text = await response.text();
    // A limit that was met before anything was done with the URL is no answer to it; nor is a machine that is busy.
    const isBusy = response.status === 429 || (response.status === 503 && mayRepeat);
    if (!isBusy || attempt === mostAttempts) return { status: response.status, text };
    await sleep(100 * attempt);
  }
}

function patience(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(patienceMilliseconds) };
}

/** Lets only so many do something at once; the others wait in line. */
function createGate(room: number) {
  const line: (() => void)[] = [];
  let inside = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside === room) await new Promise<void>((resolve) => line.push(resolve));
    else inside += 1;
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
