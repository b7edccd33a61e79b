import { parseAddress } from '../domain/ip-address.ts';
import { OutboundRefused, type RefusalReason } from '../errors.ts';
import { checkUrl } from './check-url.ts';
import { createAddressRule, type OutboundPolicy } from './outbound-policy.ts';

/**
 * Returns early why a URL will never be fetched, or null if only a lookup can tell. The fetcher checks the URL again.
 */
export function refusalOfUrl(text: string, policy: OutboundPolicy): RefusalReason | null {
  try {
    const { hostname } = checkUrl(text, policy);
    const address = parseAddress(hostname);
    const isForbidden = address !== null && !createAddressRule(policy)(hostname, address);
    return isForbidden ? 'forbidden_address' : null;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    throw error;
  }
}
