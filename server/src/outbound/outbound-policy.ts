import { networkInterfaces } from 'node:os';
import { isLoopbackName } from '@kinora/settings/own-host';
import { type Network, networkContains, parseNetwork } from '../domain/ip-address.ts';
import { classifyAddress } from './classify-address.ts';

/** What the operator allows in addition to https to public addresses, and what is refused although it is public. */
export interface OutboundPolicy {
  allowHttp: boolean;
  /** Ports in addition to 80 and 443. */
  allowedPorts: readonly number[];
  /** Networks in CIDR form that are allowed although they are not public. */
  allowedNetworks: readonly string[];
  /** Networks in CIDR form that are refused, whatever else allows them. */
  deniedNetworks: readonly string[];
  /** The host of our own public URL, which callers may name even if it is this machine. */
  publicHost: string | null;
  /** Also allows URLs that name loopback itself, over http and at any port; refused unless set. */
  allowLoopback?: boolean;
}

const loopback = ['127.0.0.0/8', '::1/128'].map(parseNetwork);

/** Decides whether requests to a host may go to one of its addresses. */
export type AddressRule = (hostname: string, address: Uint8Array) => boolean;

/** Creates the rule of a policy; throws if the policy contains a malformed network. */
export function createAddressRule(
  { allowedNetworks, deniedNetworks, publicHost, allowLoopback = false }: OutboundPolicy,
  listOwnAddresses = ownAddresses,
): AddressRule {
  const allowed = allowedNetworks.map(parseNetwork);
  const denied = deniedNetworks.map(parseNetwork);
  return (hostname, address) => {
    if (denied.some((network) => networkContains(network, address))) return false;
    if (allowed.some((network) => networkContains(network, address))) return true;
    // Only by its own name: any other name that leads to loopback is an attack or a mistake.
    if (allowLoopback && isLoopbackName(hostname) && loopback.some((network) => networkContains(network, address)))
      return true;
    if (classifyAddress(address) !== 'public') return false;
    // A cloud may give this machine a public address, behind which are services that only its neighbours may use.
    return hostname === publicHost || !listOwnAddresses().some((own) => networkContains(own, address));
  };
}

/** Returns the addresses of this machine's interfaces as they are now, as networks of one address each. */
function ownAddresses(): Network[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address, family }) => parseNetwork(`${address}/${family === 'IPv4' ? 32 : 128}`));
}
