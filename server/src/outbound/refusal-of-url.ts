import { parseAddress } from '../domain/ip-address.ts';
import { OutboundRefused, type RefusalReason } from '../errors.ts';
import { checkUrl } from './check-url.ts';
import { createAddressRule, type OutboundPolicy } from './outbound-policy.ts';

/** Why a URL will never be fetched, or null if only a lookup can tell. The fetcher checks the URL again. */
export function refusalOfUrl(text: string, policy: OutboundPolicy): RefusalReason | null {
  try {
    const { hostname } = checkUrl(text, policy);
    const addresses = isLocalhost(hostname) ? loopback : [parseAddress(hostname)];
    const isAllowed = createAddressRule(policy);
    const isForbidden = addresses.every((address) => address !== null && !isAllowed(hostname, address));
    return isForbidden ? 'forbidden_address' : null;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    throw error;
  }
}

const loopback = ['127.0.0.1', '::1'].map(parseAddress);

/** Returns whether a name always means this machine (RFC 6761), whatever a lookup says. */
function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}
