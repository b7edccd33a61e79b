import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../outbound/loopback-server.fixture.ts';

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a receiver of webhooks on loopback. It records what it receives and sends the replies that a test sets. */
export async function startReceiver() {
  const received: Received[] = [];
  const replies = new Map<string, Reply[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ path, headers, body: Buffer.concat(chunks).toString() });
      const script = replies.get(path) ?? [];
      const reply = script.length > 1 ? script.shift() : script[0];
      if (reply) reply(response, request);
      else response.writeHead(204).end();
    });
  });
  const listening = await listen(server);
  return {
    port: listening.port,
    url: (path: string) => `http://127.0.0.1:${listening.port}${path}`,
    received: (path: string) => received.filter((one) => one.path === path),
    /** Sets the replies for a path, one per request; the last one is repeated. */
    respondWith: (path: string, ...script: Reply[]) => void replies.set(path, script),
    close: () => listening[Symbol.asyncDispose](),
  };
}

/** Returns a plain reply. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Reply =>
  (response) =>
    void response.writeHead(code, headers).end(body);
