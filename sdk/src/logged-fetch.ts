/** Writes one line of a log. */
export type Log = (line: string) => void;

/**
 * Wraps `fetch` so that every try of a request is logged in one line. Query, headers and body are left out, because they
 * may contain prompts and keys.
 */
export function loggedFetch(fetch: typeof globalThis.fetch, log: Log): typeof globalThis.fetch {
  return async (input, init) => {
    const startedAt = performance.now();
    const write = (result: string) => {
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      log(`${init?.method ?? 'GET'} ${path}: ${result}, ${Math.round(performance.now() - startedAt)} ms`);
    };
    try {
      const response = await fetch(input, init);
      write(`${response.status} ${response.headers.get('x-request-id') ?? ''}`.trimEnd());
      return response;
    } catch (error) {
      write(String(error));
      throw error;
    }
  };
}
