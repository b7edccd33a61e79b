import { InvalidRequestError } from './errors.ts';
import { tasksOf } from './follow-task.ts';
import { followTransports } from './follow-transports.ts';
import type { Task } from './generated/types.ts';
import { createHttp } from './http.ts';

const maxRetries = 5;

/**
 * Yields a task whenever it changes, until it is final. It needs only the task's signed `events_url`, so a web page can
 * call it without an API key. The URL is valid for an hour; a stream that is already open continues after that.
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
      // The newest URL has a fresh signature, so that a connection that breaks after an hour can be reopened.
      if (task.events_url && addressOf(task.events_url) === addressOf(url)) url = task.events_url;
      yield task;
    }
  }

  return followTransports([streamed], signal, maxRetries);
}

function addressOf(url: string): string | undefined {
  return url.split('?')[0];
}
