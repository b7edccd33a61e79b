import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { readAddress } from './address.ts';
import type { Certificates } from './certificates.ts';
import { judgeAddress } from './judge-address.ts';

/** A connection that Kinora must never make. */
export interface Trespass {
  address: string;
  port: number;
  /** The first bytes that it sent, which may identify its case. */
  said: string;
}

export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** How a server treats a connection before HTTP. */
export type Door = 'silent' | 'reset' | 'other-name' | 'untrusted';

export interface Internet {
  /** Every connection to an address that is not public, or to a public one at a port that callers may not name. */
  trespasses: Trespass[];
  /** Serves a page under /c/<id> on every public address. */
  serve(id: string, page: Page): void;
  /** Returns how often a page has been requested. */
  served(id: string): number;
  /** Sets how a public address treats its connections. */
  setDoor(address: string, door: Door): void;
  /** Returns how many connections a public address with a door has had. */
  knocked(address: string): number;
}

const webPorts = [80, 443];

/** Starts all servers in this process: web servers at public addresses, and the canary at all others. */
export async function startInternet(certificates: Certificates, canaryPorts: readonly number[]): Promise<Internet> {
  const pages = new Map<string, { page: Page; served: number }>();
  const doors = new Map<string, { door: Door; knocked: number }>();
  const trespasses: Trespass[] = [];
  const web = createHttpServer({ keepAliveTimeout: 1, requestTimeout: 0, headersTimeout: 0 }, (request, response) => {
    const entry = pages.get(/^\/c\/(\w+)/.exec(request.url ?? '')?.[1] ?? '');
    if (!entry) return void response.writeHead(404).end('nothing here');
    entry.served += 1;
    entry.page(request, response);
  });
  web.on('clientError', (_error, socket) => socket.destroy());

  const contexts = {
    good: createSecureContext(certificates.good),
    'other-name': createSecureContext(certificates.otherName),
    untrusted: createSecureContext(certificates.untrusted),
  };
  const secure = (socket: Socket, context: keyof typeof contexts): void => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext: contexts[context] });
    secured.on('error', () => socket.destroy());
    secured.once('secure', () => web.emit('connection', secured));
  };
  const welcome = (socket: Socket, address: string, port: number): void => {
    const entry = doors.get(address);
    if (entry) entry.knocked += 1;
    if (entry?.door === 'silent') return;
    if (entry?.door === 'reset') return void socket.resetAndDestroy();
    if (port !== 443) return void web.emit('connection', socket);
    secure(socket, entry?.door ?? 'good');
  };

  const listeners = [...new Set([...webPorts, ...canaryPorts])].map((port) =>
    createServer((socket) => {
      socket.on('error', () => undefined);
      const address = (socket.localAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
      const isPublic = judgeAddress(readAddress(address)).verdict === 'public';
      if (isPublic && webPorts.includes(port)) return welcome(socket, address, port);
      const trespass: Trespass = { address, port, said: '' };
      trespasses.push(trespass);
      socket.once('data', (bytes) => {
        trespass.said = bytes.toString('latin1', 0, 200).replace(/[^\x20-\x7e]+/g, ' ');
        socket.destroy();
      });
    }).listen(port, '::'),
  );
  await Promise.all(listeners.map((server) => once(server, 'listening')));

  return {
    trespasses,
    serve: (id, page) => void pages.set(id, { page, served: 0 }),
    served: (id) => pages.get(id)?.served ?? 0,
    setDoor: (address, door) => void doors.set(address, { door, knocked: 0 }),
    knocked: (address) => doors.get(address)?.knocked ?? 0,
  };
}
