import { Resolver } from 'node:dns/promises';
import { parseAddress } from '../domain/ip-address.ts';
import { OutboundRefused } from '../errors.ts';
import type { AddressRule } from './outbound-policy.ts';

export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

// Two tries, of at most 2 s and 4 s, so a lost packet is retried before the fetch times out.
const queryOptions = { timeout: 2_000, tries: 2 };

/**
 * Queries the system's name servers, or those that operators name, not dns.lookup: its two threads for all lookups let
 * a few silent names block the rest, and it applies search domains and the hosts file to strangers' names.
 */
export async function resolveWithSystem(
  host: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<string[]> {
  // Loopback by definition (RFC 6761), whatever a name server says.
  if (/(^|\.)localhost\.?$/.test(host)) return ['127.0.0.1'];
  // One resolver per lookup, because it can only be cancelled as a whole; it reads the system's current settings.
  const resolver = new Resolver(queryOptions);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const [ipv4, ipv6] = results.map((result) => (result.status === 'fulfilled' ? result.value : []));
    const addresses = interleave(ipv4 ?? [], ipv6 ?? []);
    const failure = results.find((result) => result.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Alternates families, so that the few addresses that are tried include one that this machine can reach. */
function interleave(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  return Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [ipv4[index], ipv6[index]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * The addresses of a host if all are allowed. One that mixes public and private addresses is an attack or a mistake,
 * and picking the public one would leave the choice to chance.
 */
export async function resolveTarget(
  { resolve, isAllowed }: { resolve: Resolve; isAllowed: AddressRule },
  hostname: string,
  signal: AbortSignal,
): Promise<string[]> {
  const literal = parseAddress(hostname) ? hostname.replace(/^\[|\]$/g, '') : null;
  const addresses = literal === null ? await resolveName(resolve, hostname, signal) : [literal];
  for (const address of addresses) {
    const bytes = parseAddress(address);
    if (bytes === null || !isAllowed(hostname, bytes)) throw new OutboundRefused('forbidden_address');
  }
  return addresses;
}

async function resolveName(resolve: Resolve, hostname: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  // Rejects at the deadline even if the resolver ignores the signal.
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const addresses = await Promise.race([resolve(hostname, signal), aborted.promise]);
    if (addresses.length === 0) throw new OutboundRefused('unresolvable');
    return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof OutboundRefused ? cause : new OutboundRefused('unresolvable', { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
