import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { clockAt } from '../domain/clock.fixture.ts';
import { clientErrorResponse } from './client-error-response.ts';
import { closeSlowConnections } from './close-slow-connections.ts';

let app: FastifyInstance;
let folder: string;
let endless: Readable;
let letBodyBeRead: () => void;
const closed: string[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  // Only the timer of the connections is fake: the connections are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  app = Fastify({ clientErrorHandler: clientErrorResponse(clockAt(() => new Date(0))) });
  closeSlowConnections(app, (reason) => void closed.push(reason));
  const bodyMayBeRead = new Promise<void>((resolve) => {
    letBodyBeRead = resolve;
  });
  app.get('/endless', async (_request, reply) => reply.send(endless));
  app.post('/', async () => 'received');
  app.post('/later', { onRequest: () => bodyMayBeRead }, async () => 'received');
  app.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send('refused') }, async () => '');
  folder = temporaryFolder('slow', onTestFinished);
  // The kernel buffers less for a silent reader than over TCP.
  await app.listen({ path: join(folder, 'api') });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  closed.length = 0;
  await app.close();
});

function open(request: string): Socket {
  const socket = connect(join(folder, 'api'));
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(request);
  return socket;
}

const get = (path: string) => open(`GET ${path} HTTP/1.1\r\nHost: kinora\r\n\r\n`);
const post = (path: string, body: string) =>
  open(`POST ${path} HTTP/1.1\r\nHost: kinora\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n${body}`);

/** Lets seconds pass for the timer; the sockets get time to move what they can. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (let turns = 0; turns < 3; turns += 1) await turn();
    vi.advanceTimersByTime(1_000);
  }
}

it('a reader that takes nothing for 30 seconds is disconnected, and the source of its response is released', async () => {
  endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) });
  const socket = get('/endless');
  await once(socket, 'readable');
  await pass(29);
  expect(closed).toEqual([]);
  await pass(3);
  expect(closed).toEqual(['slow_reader']);
  if (!endless.destroyed) await once(endless, 'close');
});

it('a reader that takes all it is sent is never disconnected, however slow the source of its response is', async () => {
  endless = new Readable({ read: () => undefined });
  const socket = get('/endless').resume();
  endless.push('a beginning');
  await once(socket, 'data');
  await pass(300);
  expect(closed).toEqual([]);
  endless.push('more');
  await once(socket, 'data');
});

it('a sender of a body that falls silent gets 408 after 10 seconds', async () => {
  const received = once(app.server, 'request');
  const socket = post('/', 'ten bytes.');
  await received;
  await pass(9);
  expect(closed).toEqual([]);
  await pass(3);
  expect(closed).toEqual(['slow_sender']);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
});

it('a sender that was refused and sends the rest of its body too slowly is disconnected', async () => {
  const socket = post('/refused', 'ten bytes.');
  await once(socket, 'data');
  await pass(12);
  expect(closed).toEqual(['slow_sender']);
  if (!socket.closed) await once(socket, 'close');
});

it('a sender does not pay for the time that the server takes before it reads the body', async () => {
  const received = once(app.server, 'request');
  const socket = post('/later', 'ten bytes.');
  await received;
  await pass(60);
  expect(closed).toEqual([]);
  letBodyBeRead();
  socket.write('.'.repeat(90));
  const [response] = await once(socket, 'data');
  expect(String(response)).toContain('received');
});
