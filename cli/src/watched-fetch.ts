interface Watch {
  /** Called if a request fails in a way that the client may retry, so that the user learns about the delay. */
  onTrouble: (text: string) => void;
  /** Called if a create returned the task that an earlier request with this idempotency key had made. */
  onReplay?: ((idempotencyKey: string) => void) | undefined;
}

/** Wraps `fetch` to report retries and replayed creates, which the client handles silently. */
export function watchedFetch({ onTrouble, onReplay }: Watch): typeof globalThis.fetch {
  return async (input, init) => {
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      if (!init?.signal?.aborted) onTrouble('The service does not respond. Trying again …');
      throw error;
    }
    const { status, headers } = response;
    if (headers.get('x-should-retry') === 'true' && (status === 429 || status === 503)) {
      onTrouble(
        status === 429 ? 'A limit of the project has been reached. Waiting …' : 'The service is busy. Waiting …',
      );
    }
    const key = new Headers(init?.headers).get('idempotency-key');
    if (key !== null && headers.get('idempotent-replayed') === 'true') onReplay?.(key);
    return response;
  };
}
