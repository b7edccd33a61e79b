import { type ApiResponse, createApiClient, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Column, Ending } from './address-case.ts';
import type { Deliveries } from './deliveries.ts';

/** How a URL fared; `broken` is what must never be an answer to one. */
export interface Fate {
  ending: Ending | 'broken';
  /** The code, reason or status behind it, for messages. */
  detail: string;
}

export type Ask = (url: string) => Promise<Fate>;

/** The guarded fetcher, under the settings of three installations: without any exception, with those of this one, without a guard. */
export type Policy = 'strict' | 'relaxed' | 'open';

const timeoutMilliseconds = 60_000;
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
export function createAsks(
  { url, liveKey: key }: Installation,
  fetchers: Record<Policy, Ask>,
  deliveries: Deliveries,
): Record<Column, Ask> {
  // A limit that was met before anything was done with the URL is no answer to it; where it may be repeated, nor is a busy machine.
  const api = createApiClient({ url, key, timeoutMilliseconds, patientWith: [429] });
  const patient = createApiClient({ url, key, timeoutMilliseconds, patientWith: [429, 503] });
  // A callback mostly waits for its turn: many may, but only a few ask the API at once.
  const creating = createGate(callbackCreators);
  return {
    image_url: async (named) => {
      const answer = await api.post<ErrorBody>('/v1/videos/image-to-video', {
        prompt: 'A picture moves',
        image_url: named,
      });
      if (answer.status === 200) return { ending: 'fetched', detail: '200' };
      return readRefusal(answer, endingOfImageCode, named);
    },
    // What needs no exception is asked for by the rules of an installation that makes none.
    result_url: (named) => fetchers[named.startsWith('https://') ? 'strict' : 'relaxed'](named),
    callback_url: async (named) => {
      const made = await creating(async () => {
        const body = { prompt: 'A bell rings', callback_url: named };
        const answer = await patient.post<Task & ErrorBody>('/v1/videos/text-to-video', body);
        if (answer.status !== 200) return { refused: readRefusal(answer, { invalid_parameter: 'request' }, named) };
        return { taskId: (await patient.cancel(answer.body.task_id)).task_id };
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

/** What a line of `kinora-server outbound fetch` says. */
export function readFetched(line: string): Fate {
  const said = JSON.parse(line) as { status: number } | { refused: string } | { failed: string };
  if ('failed' in said) return { ending: 'broken', detail: said.failed };
  if ('refused' in said) return { ending: endingOfReason[said.refused] ?? 'broken', detail: said.refused };
  return { ending: said.status === 200 ? 'fetched' : 'unreachable', detail: String(said.status) };
}

/** A refusal must be one of those meant for the purpose, and say nothing of where the URL led. */
function readRefusal({ status, body }: ApiResponse<ErrorBody>, endings: Record<string, Ending>, url: string): Fate {
  const { error } = body;
  const ending = status === 400 ? endings[error.code] : undefined;
  const told = /\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]{3,}\]|\/etc\/|ECONN|ENOTFOUND|::1/.exec(error.message);
  if (told && !url.includes(told[0]))
    return { ending: 'broken', detail: `the answer tells too much: ${error.message}` };
  return { ending: ending ?? 'broken', detail: `${status} ${error.code}` };
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
