import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from './loopback-server.ts';

export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

type Reply = number | ((response: ServerResponse) => void);

export interface WebhookReceiver {
  port: number;
  url(path: string): string;
  /** Everything received so far, in order. */
  all: readonly ReceivedWebhook[];
  /** Everything received at this path so far, in order. */
  received(path: string): ReceivedWebhook[];
  /** Sets the replies for this path, one per request; the last one is for all later requests. The default is 204. */
  respondWith(path: string, ...replies: Reply[]): void;
  close(): Promise<void>;
}

/** Returns a reply with headers or a body of its own. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Reply =>
  (response) =>
    void response.writeHead(code, headers).end(body);

/** Starts a server on loopback that records webhooks, by default on a free port. */
export async function startWebhookReceiver(wantedPort = 0): Promise<WebhookReceiver> {
  const all: ReceivedWebhook[] = [];
  const scripts = new Map<string, Reply[]>();
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
  const server = await startLoopbackServer((request, response) => void receive(request, response), wantedPort);
  return {
    port: server.port,
    url: (path) => `${server.url}${path}`,
    all,
    received: (path) => all.filter((one) => one.path === path),
    respondWith: (path, ...replies) => void scripts.set(path, replies),
    close: server.close,
  };
}
