import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver {
  url(path: string): string;
  /** Everything received so far, in order. */
  all: readonly ReceivedWebhook[];
  /** Everything received at this path so far, in order. */
  received(path: string): ReceivedWebhook[];
  /** Sets the responses for this path, one per request; the last one is for all later requests. The default is 204. */
  respondWith(path: string, ...statuses: (number | ((response: ServerResponse) => void))[]): void;
  close(): Promise<void>;
}

/** Starts a server on loopback that records webhooks. */
export async function startWebhookReceiver(port: number): Promise<WebhookReceiver> {
  const all: ReceivedWebhook[] = [];
  const scripts = new Map<string, (number | ((response: ServerResponse) => void))[]>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const path = request.url ?? '';
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    all.push({ path, headers, body });
    const script = scripts.get(path) ?? [];
    const next = (script.length > 1 ? script.shift() : script[0]) ?? 204;
    if (typeof next === 'number') response.writeHead(next).end(`responded ${next}`);
    else next(response);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    all,
    received: (path) => all.filter((one) => one.path === path),
    respondWith: (path, ...statuses) => void scripts.set(path, statuses),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
