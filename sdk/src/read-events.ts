/** One server-sent event. */
export interface StreamEvent {
  id: string | null;
  type: string;
  /** Empty if the service sends only an id, to mark the position in the stream. */
  data: string;
}

/** 45 s: the service sends a comment every 15 s, so several are missing by then and the connection is dead. */
const silenceMilliseconds = 45_000;

/**
 * Yields the server-sent events of a response body. It ends with the body, and throws if the connection breaks, if
 * nothing arrives within `startTimeoutMilliseconds`, or if the stream is silent for 45 s.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  startTimeoutMilliseconds = silenceMilliseconds,
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let limitMilliseconds = startTimeoutMilliseconds;
  try {
    for (;;) {
      const { done, value } = await within(limitMilliseconds, reader.read());
      if (done) return;
      limitMilliseconds = silenceMilliseconds;
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    // Closes the connection if the caller stops reading early.
    reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamEvent | null {
  let id: string | null = null;
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === 0) continue; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') id = value;
    else if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 || id !== null ? { id, type, data: data.join('\n') } : null;
}

function within<Value>(milliseconds: number, reading: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout>;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream fell silent.')), milliseconds);
  });
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer));
}
