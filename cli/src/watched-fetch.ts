interface Watch {
  /** The client tries again by itself; whoever waits wants to know why it takes so long. */
  onTrouble: (text: string) => void;
  /** A create was answered with the task that an earlier request under this idempotency key had made. */
  onReplay?: ((idempotencyKey: string) => void) | undefined;
}

/** fetch that tells what the client keeps to itself. */
export function watchedFetch({ onTrouble, onReplay }: Watch): typeof globalThis.fetch {
  return async (input, init) => {
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      if (!init?.signal?.aborted) onTrouble('The service does not answer. Trying again …');
      throw error;
    }
    const { status, headers } = response;
    if (headers.get('x-should-retry') === 'true' && (status === 429 || status === 503)) {
      onTrouble(status === 429 ? 'A limit of the project is reached. Waiting …' : 'The service is busy. Waiting …');
    }
    const key = new Headers(init?.headers).get('idempotency-key');
    if (key !== null && headers.get('idempotent-replayed') === 'true') onReplay?.(key);
    return response;
  };
}
