import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

// The servers of a test file, gone when the file is done.
const open: { close(): void }[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

/** What a server does with one request; the network between it and the client is played by it too. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What a server was asked. */
export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  atMilliseconds: number;
}

/** A server that does as this function says, and remembers what it was asked. */
export async function startScriptedServer(answer: (asked: Asked, count: number) => Answer) {
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: await text(request), atMilliseconds: performance.now() };
    asked.push(one);
    answer(one, asked.length)(request, response);
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ close: () => void (server.closeAllConnections(), server.close()) });
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // it listens on a port
}

/** Answers with JSON. */
export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** An error as the service words it. */
export const problem = (code: string, extra: object = {}) => ({
  error: { message: `about ${code}`, type: 'x', code, param: null, retryable: false, details: [], ...extra },
  request_id: 'req_1',
});

/** Cuts the connection before any answer. */
export const drop: Answer = (request) => request.socket.destroy();
/** Takes the request and says nothing. */
export const silence: Answer = () => undefined;

/** A stream of these events, which then ends, breaks, or stays open and silent. */
export const stream =
  (events: readonly string[], then: 'end' | 'break' | 'stay'): Answer =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 2000\n: open\n\n${events.join('')}`);
    if (then === 'end') response.end();
    if (then === 'break') setTimeout(() => request.socket.destroy(), 20); // what was written arrives first
  };

/** One server-sent event. */
export function event(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A task at this progress, completed at 100, as far as a follower looks at it. */
export function taskAt(progress: number, extra: object = {}) {
  const isFinal = progress === 100;
  const status = isFinal ? 'completed' : 'in_progress';
  return { id: 'task_1', status, is_final: isFinal, progress, poll_after_ms: 50, events_url: null, ...extra };
}
