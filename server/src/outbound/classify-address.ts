import { isMapped, networkContains, parseNetwork, toSixteenBytes } from '../domain/ip-address.ts';
import { specialNetworks } from './special-addresses.ts';

export type AddressClass = 'public' | 'forbidden';

const special = specialNetworks.map(({ network }) => parseNetwork(network));
const globalUnicast = parseNetwork('2000::/3');

/** Returns whether an address of 4 or 16 bytes is on the public internet; any that is not known to be is forbidden. */
export function classifyAddress(bytes: Uint8Array): AddressClass {
  if (bytes.length !== 4 && bytes.length !== 16) return 'forbidden';
  const address = toSixteenBytes(bytes);
  if (special.some((network) => networkContains(network, address))) return 'forbidden';
  if (isMapped(address)) return 'public';
  return networkContains(globalUnicast, address) && !isIsatap(address) ? 'public' : 'forbidden';
}

/** ISATAP hides an IPv4 address behind 0000:5efe or 0200:5efe in the second half of any prefix. */
function isIsatap(address: Uint8Array): boolean {
  return ((address[8] ?? 0) & ~0x02) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;
}
