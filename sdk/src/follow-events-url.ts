import { InvalidRequestError } from './errors.ts';
import { tasksOf } from './follow-task.ts';
import { followTransports } from './follow-transports.ts';
import type { Task } from './generated/types.ts';
import { createHttp } from './http.ts';

const maxRetries = 5;

/**
 * A task as it changes, until it is final, by its signed `events_url` alone: what a page may have, which must not have a key. The
 * URL is valid for an hour; a stream that is open by then goes on.
 */
export function followEventsUrl(
  eventsUrl: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Task> {
  if (!URL.canParse(eventsUrl))
    throw new InvalidRequestError('That is no events_url of a task.', { param: 'events_url' });
  const http = createHttp({
    baseUrl: '',
    bearer: async () => null,
    fetch: globalThis.fetch,
    maxRetries,
    timeoutMilliseconds: 60_000,
  });
  let url = eventsUrl;

  async function* streamed(): AsyncGenerator<Task> {
    for await (const task of tasksOf(http, { method: 'GET', path: url, signal })) {
      // Signed anew, so that a connection that breaks after an hour can be made again.
      if (task.events_url && addressOf(task.events_url) === addressOf(url)) url = task.events_url;
      yield task;
    }
  }

  return followTransports([streamed], signal, maxRetries);
}

function addressOf(url: string): string | undefined {
  return url.split('?')[0];
}
