import { InvalidRequestError, PermissionError } from './errors.ts';
import { type FollowOptions, tasksOf } from './follow-task.ts';
import { followTransports } from './follow-transports.ts';
import { createHttp } from './http.ts';
import type { Task } from './task.ts';

const maxRetries = 5;

/** Options of `followEventsUrl`. */
export interface FollowEventsUrlOptions extends FollowOptions {
  /**
   * Fetches a fresh `events_url` of the same task from your backend. It is called when the present URL has expired.
   * Without it, following ends then with a PermissionError.
   */
  freshUrl?: (() => Promise<string>) | undefined;
}

/**
 * Yields a task whenever it changes, until it is final. It needs only the task's signed `events_url`, so a web page can
 * call it without an API key. The URL, the stream and every link in it end after an hour. The tasks have no `prompt`,
 * `negative_prompt`, `metadata`, `warnings` and `usage`.
 */
export function followEventsUrl(
  eventsUrl: string,
  { freshUrl, ...options }: FollowEventsUrlOptions = {},
): AsyncGenerator<Task> {
  const http = createHttp({
    baseUrl: '',
    bearer: async () => null,
    isBearerRenewable: false,
    fetch: globalThis.fetch,
    maxRetries,
    timeoutMilliseconds: 60_000,
  });
  let url = requireUrl(eventsUrl);
  const open = () => tasksOf(http, { ...options, method: 'GET', path: url });

  async function* streamed(): AsyncGenerator<Task> {
    try {
      yield* open();
    } catch (error) {
      const hasExpired = error instanceof PermissionError && error.code === 'signature_invalid';
      if (!freshUrl || !hasExpired) throw error;
      url = requireUrl(await freshUrl());
      yield* open();
    }
  }

  return followTransports([streamed], options.signal, options.maxRetries ?? maxRetries);
}

function requireUrl(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidRequestError('This is not the events_url of a task.', { param: 'events_url' });
}
