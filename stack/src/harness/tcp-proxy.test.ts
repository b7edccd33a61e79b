import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A server that echoes what it gets, and counts the connections that have ended. */
let echo: Server;
let connections: { ended: number };
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  const mine = { ended: 0 }; // of this test: the last connections of the test before may end late
  connections = mine;
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      mine.ended += 1;
    });
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await startTcpProxy({ port: (echo.address() as AddressInfo).port }); // a TCP server has a port
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

interface TestClient {
  socket: Socket;
  heard: () => string;
}

async function open(): Promise<TestClient> {
  let text = '';
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (part) => {
    text += String(part);
  });
  await once(socket, 'connect');
  return { socket, heard: () => text };
}

async function echoes({ socket, heard }: TestClient, word: string): Promise<void> {
  socket.write(word);
  await expect.poll(heard).toMatch(new RegExp(`${word}$`));
}

describe('the TCP proxy', () => {
  test('forwards bytes and the end of a connection', async () => {
    const client = await open();
    await echoes(client, 'one');
    client.socket.end();
    await expect.poll(() => [connections.ended, client.socket.closed]).toEqual([1, true]);
  });

  test('holds old and new connections in a black hole, and goes on where they were', async () => {
    const old = await open();
    await echoes(old, 'one');
    await proxy.set('black-hole');
    const fresh = await open();
    old.socket.write('two');
    fresh.socket.write('three');
    await proxy.set('pass');
    await expect.poll(() => [old.heard(), fresh.heard()]).toEqual(['onetwo', 'three']);
  });

  test('a black hole forwards nothing while other connections of the machine pass', async () => {
    const old = await open();
    await proxy.set('black-hole');
    old.socket.write('two');
    const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1'); // a TCP server has a port
    clients.push(direct);
    direct.write('x');
    await once(direct, 'data');
    expect(old.heard()).toBe('');
    expect(old.socket.closed).toBe(false);
  });

  test('tells the server nothing when a client of a vanished host dies, and lets new connections pass', async () => {
    const old = await open();
    await echoes(old, 'one');
    await proxy.vanish();
    old.socket.resetAndDestroy();
    const fresh = await open();
    await echoes(fresh, 'two');
    fresh.socket.end();
    await expect.poll(() => connections.ended).toBe(1);
    await proxy.close();
    await expect.poll(() => connections.ended).toBe(2);
  });

  test('resets connections and refuses new ones, until it passes again', async () => {
    const old = await open();
    await echoes(old, 'one');
    await proxy.set('refuse');
    await expect.poll(() => old.socket.closed).toBe(true);
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    await proxy.set('pass');
    await echoes(await open(), 'two');
  });
});
