import { createApiClient, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Column, Ending } from './address-case.ts';
import type { Deliveries } from './deliveries.ts';

/** How a URL ended; `broken` is a response that no URL may get. */
export interface Fate {
  ending: Ending | 'broken';
  /** The error code, reason or status behind the ending, for objections. */
  detail: string;
}

/** Submits a URL and waits until it ended. */
export type SubmitUrl = (url: string) => Promise<Fate>;

/**
 * The settings of the guarded fetcher: `strict` allows no exception, `relaxed` has the exceptions of this installation,
 * `open` has no guard.
 */
export type Policy = 'strict' | 'relaxed' | 'open';

const timeoutMilliseconds = 60_000;
const callbackCreators = 4;

export const endingOfImageCode: Record<string, Ending> = {
  invalid_parameter: 'request',
  image_forbidden_address: 'address',
  image_unreachable: 'unreachable',
  image_too_large: 'size',
  image_unsupported_format: 'content',
  image_bad_dimensions: 'content',
  image_undecodable: 'content',
};

export const endingOfReason: Record<string, Ending> = {
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

/** Returns, for each column, the function that submits a URL in it. */
export function createSubmitters(
  { url, liveKey: key }: Installation,
  fetchers: Record<Policy, SubmitUrl>,
  deliveries: Deliveries,
): Record<Column, SubmitUrl> {
  // A callback's create may be repeated after a 503 too: the busy machine says nothing about the URL.
  const patient = createApiClient({ url, key, timeoutMilliseconds, patientWith: [429, 503] });
  // Many callbacks wait for their delivery at once, but only a few create their task at once.
  const creating = createGate(callbackCreators);
  return {
    image_url: submitImages(url, key),
    // An https URL needs no exception, so the strictest settings must fetch it.
    result_url: (named) => fetchers[named.startsWith('https://') ? 'strict' : 'relaxed'](named),
    callback_url: async (named) => {
      const made = await creating(async () => {
        const body = { prompt: 'A bell rings', callback_url: named };
        const response = await patient.post<Task & ErrorBody>('/v1/videos/text-to-video', body);
        if (response.status !== 200)
          return {
            refused: readRefusal(response.status, response.body.error, { invalid_parameter: 'request' }, named),
          };
        return { taskId: (await patient.cancel(response.body.task_id)).task_id };
      });
      if (made.refused) return made.refused;
      const { isDelivered, status, reason } = await deliveries.ended(made.taskId);
      if (isDelivered) return { ending: 'fetched', detail: String(status) };
      // The server responded, but not with 2xx.
      if (status !== null) return { ending: 'unreachable', detail: String(status) };
      return { ending: endingOfReason[reason ?? ''] ?? 'broken', detail: reason ?? 'no reason' };
    },
  };
}

/** Returns the function that submits the URL of an image with this key. */
export function submitImages(url: string, key: string): SubmitUrl {
  // A 429 is repeated, because it comes before Kinora has read the URL.
  const api = createApiClient({ url, key, timeoutMilliseconds, patientWith: [429] });
  return async (named) => {
    const response = await api.post<ErrorBody>('/v1/videos/image-to-video', {
      prompt: 'A picture moves',
      image_url: named,
    });
    if (response.status === 200) return { ending: 'fetched', detail: '200' };
    return readRefusal(response.status, response.body.error, endingOfImageCode, named);
  };
}

/** Reads a line that `kinora-server outbound fetch` printed. */
export function readFetched(line: string): Fate {
  const result = JSON.parse(line) as { status: number } | { refused: string } | { failed: string };
  if ('failed' in result) return { ending: 'broken', detail: result.failed };
  if ('refused' in result) return { ending: endingOfReason[result.refused] ?? 'broken', detail: result.refused };
  return { ending: result.status === 200 ? 'fetched' : 'unreachable', detail: String(result.status) };
}

/** Reads a refusal. It is `broken` if its code is not for URLs, or if its message reveals where the URL led. */
export function readRefusal(
  status: number,
  { code, message }: { code: string; message: string },
  endings: Record<string, Ending>,
  url: string,
): Fate {
  const ending = status === 400 ? endings[code] : undefined;
  const leak = /\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]{3,}\]|\/etc\/|ECONN|ENOTFOUND|::1/.exec(message);
  if (leak && !url.includes(leak[0])) return { ending: 'broken', detail: `the message reveals too much: ${message}` };
  return { ending: ending ?? 'broken', detail: `${status} ${code}` };
}

/** Returns a function that runs at most `room` pieces of work at once; the others wait in line. */
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
