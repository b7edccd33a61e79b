import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { parseAddress } from '../domain/ip-address.ts';
import { classifyAddress } from './classify-address.ts';

/** Returns the public addresses at which a server that listens on this host can be reached. */
export function publicAddresses(
  host: string,
  interfaces: Readonly<
    Record<string, Pick<NetworkInterfaceInfo, 'address' | 'family'>[] | undefined>
  > = networkInterfaces(),
): string[] {
  const ofMachine = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  // `::` listens on the IPv4 addresses as well.
  const reachable =
    host === '::'
      ? ofMachine.map(({ address }) => address)
      : host === '0.0.0.0'
        ? ofMachine.filter(({ family }) => family === 'IPv4').map(({ address }) => address)
        : [host];
  return reachable.filter((address) => {
    const bytes = parseAddress(address);
    return bytes !== null && classifyAddress(bytes) === 'public';
  });
}
