import type { FastifyInstance } from 'fastify';
import { formatAddress, networkContains, parseAddress, parseNetwork } from '../domain/ip-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address in its shortest form; null if the connection closed before the request was handled. */
    clientAddress: string | null;
  }
}

/**
 * Sets `clientAddress` before any other hook runs: the address that connected or, if that is a trusted proxy, the last
 * one in X-Forwarded-For that is not. Clients may write anything left of it.
 */
export function readClientAddresses(app: FastifyInstance, trustedProxies: readonly string[]): void {
  const networks = trustedProxies.map(parseNetwork);
  const isTrusted = (address: Uint8Array) => networks.some((network) => networkContains(network, address));

  app.decorateRequest('clientAddress', null);
  app.addHook('onRequest', async (request) => {
    let client = addressIn(request.raw.socket.remoteAddress ?? '');
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    while (client && isTrusted(client)) {
      const hop = addressIn(forwarded.pop() ?? '');
      if (!hop) break;
      client = hop;
    }
    request.clientAddress = client && formatAddress(client);
  });
}

/** Parses an address with an optional zone, or with the port that some proxies add. */
function addressIn(text: string): Uint8Array | null {
  const [, bracketed, dotted] = /^(?:(\[.+\])|([\d.]+)):\d+$/.exec(text.trim()) ?? [];
  return parseAddress((bracketed ?? dotted ?? text.trim()).replace(/%[^\]]*/, ''));
}
