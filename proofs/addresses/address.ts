/** An address as a number, without the zone of an IPv6 address. */
export interface Address {
  family: 4 | 6;
  value: bigint;
}

export interface Block {
  family: 4 | 6;
  first: bigint;
  last: bigint;
}

const bitsOf = { 4: 32n, 6: 128n } as const;

/** Reads an address as tables and sockets write it. */
export function readAddress(text: string): Address {
  return text.includes(':') ? { family: 6, value: readIPv6(text) } : { family: 4, value: readIPv4(text) };
}

export function readBlock(text: string): Block {
  const [addressText = '', bits = ''] = text.split('/');
  const { family, value } = readAddress(addressText);
  const size = 1n << (bitsOf[family] - BigInt(bits));
  return { family, first: value, last: value + size - 1n };
}

export function isWithin({ family, value }: Address, block: Block): boolean {
  return family === block.family && value >= block.first && value <= block.last;
}

/** Returns the 4 or 16 bytes of an address, as in a DNS record. */
export function bytesOf({ family, value }: Address): Buffer {
  return Buffer.from(value.toString(16).padStart(Number(bitsOf[family] / 4n), '0'), 'hex');
}

export function writeIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

export function writeAddress({ family, value }: Address): string {
  if (family === 4) return writeIPv4(value);
  return groupsOf(value)
    .join(':')
    .replace(/(^|:)0(:0)+(:|$)/, '::');
}

/** Returns the eight groups of an IPv6 address without leading zeros. */
export function groupsOf(value: bigint): string[] {
  return paddedGroupsOf(value).map((group) => group.replace(/^0{1,3}/, ''));
}

/** Returns the eight groups of an IPv6 address with four digits each. */
export function paddedGroupsOf(value: bigint): string[] {
  const digits = value.toString(16).padStart(32, '0');
  return [0, 4, 8, 12, 16, 20, 24, 28].map((start) => digits.slice(start, start + 4));
}

function readIPv4(text: string): bigint {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255)))
    throw new Error(`not an address: ${text}`);
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function readIPv6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted?.[1] && dotted[2]) {
    const low = readIPv4(dotted[2]);
    return readIPv6(`${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
  }
  const [head = [], tail] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(tail ? 8 - head.length - tail.length : 0).fill('0');
  const groups = [...head, ...zeros, ...(tail ?? [])];
  if (groups.length !== 8 || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)))
    throw new Error(`not an address: ${text}`);
  return BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`);
}
