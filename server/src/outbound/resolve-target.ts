import { lookup } from 'node:dns/promises';
import { OutboundRefused } from '../errors.ts';
import { classifyAddress, type Network, networkContains, parseAddress } from './classify-address.ts';

export type Resolve = (host: string) => Promise<string[]>;

/** Asks the system's resolver once, for all addresses of a name in the order the system prefers. */
export async function resolveWithSystem(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
}

/**
 * The addresses a host stands for, each of them allowed. One that is not refuses them all: a name that mixes public and
 * private answers is an attack or a mistake, and picking the public one would leave the choice to chance.
 */
export async function resolveTarget(
  { resolve, allowedNetworks }: { resolve: Resolve; allowedNetworks: readonly Network[] },
  hostname: string,
  signal: AbortSignal,
): Promise<string[]> {
  const literal = parseAddress(hostname) ? hostname.replace(/^\[|\]$/g, '') : null;
  const addresses = literal === null ? await resolveName(resolve, hostname, signal) : [literal];
  for (const address of addresses) {
    const bytes = parseAddress(address);
    const allowed =
      bytes !== null &&
      (classifyAddress(bytes) === 'public' || allowedNetworks.some((network) => networkContains(network, bytes)));
    if (!allowed) throw new OutboundRefused('forbidden_address');
  }
  return addresses;
}

async function resolveName(resolve: Resolve, hostname: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  // A lookup cannot be called back, so the deadline abandons it.
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const addresses = await Promise.race([resolve(hostname), aborted.promise]);
    if (addresses.length === 0) throw new OutboundRefused('unresolvable');
    return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof OutboundRefused ? cause : new OutboundRefused('unresolvable', { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
