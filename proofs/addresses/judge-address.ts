import { type Address, type Block, isWithin, readBlock } from './address.ts';
import {
  globalUnicastBlock,
  ipv4Registry,
  ipv6Registry,
  mappedBlock,
  multicastBlocks,
  refusedByOurselves,
} from './registries.ts';

export interface Judgement {
  verdict: 'public' | 'forbidden';
  /** Who decided: `ours` if Kinora refuses an address that the registries would allow. */
  by: 'registries' | 'ours';
}

const special = [...ipv4Registry, ...ipv6Registry]
  .map((entry) => ({ ...entry, range: readBlock(entry.block) }))
  .toSorted((one, other) => Number(size(one.range) - size(other.range)));
const multicast = multicastBlocks.map(readBlock);
const globalUnicast = readBlock(globalUnicastBlock);
const mapped = readBlock(mappedBlock);
const ours = refusedByOurselves.map(readBlock);

/** Judges an address by the registries, independently of the server's code. The narrowest block decides. */
export function judgeAddress(address: Address): Judgement {
  if (isWithin(address, mapped)) return judgeAddress({ family: 4, value: address.value & 0xffff_ffffn });
  if (multicast.some((block) => isWithin(address, block))) return { verdict: 'forbidden', by: 'registries' };
  const narrowest = special.find(({ range }) => isWithin(address, range));
  // Blocks that the registry calls globally reachable are for the network's own services: no caller's server is there.
  if (narrowest) return { verdict: 'forbidden', by: narrowest.globallyReachable ? 'ours' : 'registries' };
  if (address.family === 6 && !isWithin(address, globalUnicast)) return { verdict: 'forbidden', by: 'registries' };
  if (ours.some((block) => isWithin(address, block)) || isIsatap(address)) return { verdict: 'forbidden', by: 'ours' };
  return { verdict: 'public', by: 'registries' };
}

/** Returns whether the interface identifier tunnels to the IPv4 address in it (RFC 5214). */
function isIsatap({ family, value }: Address): boolean {
  const identifier = (value >> 32n) & 0xffff_ffffn;
  return family === 6 && (identifier === 0x0000_5efen || identifier === 0x0200_5efen);
}

function size({ first, last }: Block): bigint {
  return last - first;
}
