/** One message of a stream of server-sent events, parsed as the HTML standard defines. */
interface Message {
  id: string | null;
  event: string;
  data: string;
}

export interface EventSource {
  status: number;
  headers: Headers;
  /** Reads the body of a response that is not a stream. */
  text(): Promise<string>;
  /** Every message so far. */
  messages: Message[];
  /** The Last-Event-ID that a browser would send when it reconnects. */
  lastEventId(): string;
  /** Every comment so far. */
  comments: string[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream as a browser's EventSource does, except that it does not reconnect by itself. */
export async function openEvents(
  url: string,
  headers: Record<string, string>,
  send: (url: string, init: RequestInit) => Promise<Response>,
): Promise<EventSource> {
  const stopping = new AbortController();
  const response = await send(url, { headers: { accept: 'text/event-stream', ...headers }, signal: stopping.signal });
  const messages: Message[] = [];
  const comments: string[] = [];
  let lastEventId = '';
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const read = async (): Promise<void> => {
    if (!isStream || !response.body) return;
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) lastEventId = readBlock(block, messages, comments) ?? lastEventId;
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  ended.catch(() => undefined); // the test that awaits it reports the error
  return {
    status: response.status,
    headers: response.headers,
    text: () => response.text(),
    messages,
    lastEventId: () => lastEventId,
    comments,
    ended,
    close: () => stopping.abort(),
  };
}

/** Adds the message and the comments of a block to the lists, and returns its id. */
function readBlock(block: string, messages: Message[], comments: string[]): string | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === '') comments.push(value);
    else fields.set(name, value);
  }
  const data = fields.get('data');
  if (data !== undefined)
    messages.push({ id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data });
  return fields.get('id');
}
