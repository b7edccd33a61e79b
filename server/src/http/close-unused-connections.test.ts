import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeUnusedConnections } from './close-unused-connections.ts';

let app: FastifyInstance;
/** Lets the server send its only response. */
let respond: () => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  closeUnusedConnections(app);
  const response = new Promise<void>((resolve) => {
    respond = resolve;
  });
  app.get('/', async () => {
    await response;
    return 'whole';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens a connection; `received` resolves with everything that the server sent before it closed the connection. */
async function open(): Promise<{ socket: Socket; received: Promise<string> }> {
  const accepted = once(app.server, 'connection');
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const received = socket
    .setEncoding('utf8')
    .toArray()
    .then((chunks: string[]) => chunks.join(''));
  await accepted;
  return { socket, received };
}

it('a closing server does not wait for a connection that never sent a request', async () => {
  const { received } = await open();
  await app.close();
  expect(await received).toBe('');
});

it('a closing server does not wait for the rest of a request line', async () => {
  const { socket, received } = await open();
  socket.write('GET / HT');
  await app.close();
  expect(await received).toBe('');
});

it('a closing server completes a response, and does not wait for another request on its connection', async () => {
  const unused = await open();
  const { socket, received } = await open();
  const requested = once(app.server, 'request');
  socket.write('GET / HTTP/1.1\r\nHost: kinora\r\n\r\n');
  await requested;
  const closing = app.close();
  await unused.received;
  expect(socket.readableEnded).toBe(false);
  respond();
  await closing;
  expect(await received).toMatch(/whole$/);
});
