import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseAddress } from '../domain/ip-address.ts';
import { OutboundRefused } from '../errors.ts';
import { portOf } from './check-url.ts';

// An unresponsive address must leave time for the next one; the last one may use all the time that is left.
const attemptMilliseconds = 2_500;
const maxAttempts = 4;

/** Connects to one of a URL's checked addresses and no other; TLS is checked against the URL's host. */
export async function openConnection(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  try {
    const socket = await openFirst(addresses.slice(0, maxAttempts), portOf(url), signal);
    return url.protocol === 'https:' ? await secure(socket, url.hostname, signal) : socket;
  } catch (cause) {
    signal.throwIfAborted();
    throw new OutboundRefused('connection_failed', { cause });
  }
}

async function openFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const failures: unknown[] = [];
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const attempt = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(attemptMilliseconds)]);
    try {
      return await settle(connectTcp({ host: address, port, lookup: neverLookUp }), 'connect', attempt);
    } catch (failure) {
      signal.throwIfAborted();
      failures.push(failure);
    }
  }
  throw new AggregateError(failures);
}

async function secure(socket: Socket, hostname: string, signal: AbortSignal): Promise<Socket> {
  const isLiteral = parseAddress(hostname) !== null;
  const name = hostname.replace(/^\[|\]$|\.$/g, '');
  const secured = connectTls({
    socket,
    // The certificate is compared with servername or, for an address, which cannot be a servername, with host.
    host: name,
    ...(isLiteral ? {} : { servername: name }),
    ALPNProtocols: ['http/1.1'],
    // Written out, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment cannot switch it off.
    rejectUnauthorized: true,
  });
  try {
    return await settle(secured, 'secureConnect', signal);
  } catch (failure) {
    socket.destroy();
    throw failure;
  }
}

async function settle<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  // Kept for the socket's whole life: an error between two owners must not end the process.
  socket.on('error', () => {});
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (failure) {
    socket.destroy();
    throw failure;
  }
}

/** Only address literals get here. If one is ever not recognised as such, failing is safer than a second lookup. */
function neverLookUp(
  _host: string,
  _options: unknown,
  callback: (error: Error, address: string, family: number) => void,
) {
  callback(new Error('a checked address is never looked up'), '', 0);
}
