import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

// The servers of a test file. They are closed after its last test.
const open: { close(): void }[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

/** Handles one request. It also simulates faults of the network between client and server. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A request as the server received it. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Starts a server that handles its Nth request with `handlerFor(request, N)` and records every request. */
export async function startScriptedServer(handlerFor: (request: ReceivedRequest, count: number) => Handler) {
  const requests: ReceivedRequest[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: await text(request) };
    requests.push(received);
    handlerFor(received, requests.length)(request, response);
  };
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ close: () => void (server.closeAllConnections(), server.close()) });
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // a TCP server has a port
}

/** Responds with JSON. */
export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** Returns an error body in the service's format. */
export const problem = (code: string, extra: object = {}) => ({
  error: { message: `about ${code}`, type: 'x', code, param: null, retryable: false, details: [], ...extra },
  request_id: 'req_1',
});

/** Closes the connection without a response. */
export const drop: Handler = (request) => request.socket.destroy();
/** Accepts the request and never responds. */
export const silence: Handler = () => undefined;

/** Responds with a stream of these events, which then ends, breaks, or stays open and silent. */
export const stream =
  (events: readonly string[], then: 'end' | 'break' | 'stay'): Handler =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 2000\n: open\n\n${events.join('')}`);
    if (then === 'end') response.end();
    if (then === 'break') setTimeout(() => request.socket.destroy(), 20); // so that the written events arrive first
  };

/** Formats one server-sent event. */
export function event(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns a task at this progress, completed at 100, with the fields that following a task uses. */
export function taskAt(progress: number, extra: object = {}) {
  const isFinal = progress === 100;
  const status = isFinal ? 'completed' : 'in_progress';
  const video_url = isFinal ? 'https://kinora.example.com/video' : null;
  return {
    id: 'task_1',
    status,
    is_final: isFinal,
    progress,
    video_url,
    poll_after_ms: 50,
    events_url: null,
    ...extra,
  };
}
