import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundConnections } from './bound-connections.ts';

let app: FastifyInstance;
const reasons: string[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  app = Fastify();
  boundConnections(app, 3, (reason) => void reasons.push(reason));
  app.get('/', async () => 'whole');
  app.get('/endless', () => new Promise(() => undefined));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  reasons.length = 0;
  await app.close();
});

async function open(): Promise<Socket> {
  const accepted = once(app.server, 'connection');
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  sockets.push(socket);
  await accepted;
  return socket;
}

/** Opens a connection with one response behind it. */
async function openUsed(): Promise<Socket> {
  const socket = await open();
  await use(socket);
  return socket;
}

async function use(socket: Socket): Promise<void> {
  const responded = once(socket, 'data');
  const ended = once(app.server, 'request').then(([, response]) => once(response, 'close'));
  socket.write('GET / HTTP/1.1\r\nHost: kinora\r\n\r\n');
  await Promise.all([responded, ended]);
}

/** Opens a connection whose response never ends. */
async function openBusy(): Promise<Socket> {
  const socket = await open();
  const received = once(app.server, 'request');
  socket.write('GET /endless HTTP/1.1\r\nHost: kinora\r\n\r\n');
  await received;
  return socket;
}

const closed = async (socket: Socket) => void (socket.closed || (await once(socket, 'close')));

it('a connection that never sent a whole request is displaced first, the oldest of them before the others', async () => {
  const idle = await openUsed();
  const [first, second] = [await open(), await open()];
  first.write('GET / HT');
  await use(await open());
  await closed(first);
  expect(reasons).toEqual(['displaced']);
  await Promise.all([use(idle), use(second)]);
});

it('of connections that have been used, the one that is idle for longest is displaced', async () => {
  const [first, second, third] = [await openUsed(), await openUsed(), await openUsed()];
  await use(first);
  await use(await open());
  await closed(second);
  await use(first);
  await use(third);
  expect(reasons).toEqual(['displaced']);
});

it('a connection is refused only while all others serve requests, and none of these is closed', async () => {
  const busy = [await openBusy(), await openBusy(), await openBusy()];
  await closed(await open());
  expect(reasons).toEqual(['refused']);
  expect(busy.map(({ closed }) => closed)).toEqual([false, false, false]);
});

it('a connection that its client closes makes room for another', async () => {
  await Promise.all([openBusy(), openBusy()]);
  const accepted: Promise<[Socket]> = once(app.server, 'connection') as Promise<[Socket]>;
  const leaving = await openBusy();
  const [atServer] = await accepted;
  leaving.destroy();
  await once(atServer, 'close');
  await use(await open());
  expect(reasons).toEqual([]);
});
