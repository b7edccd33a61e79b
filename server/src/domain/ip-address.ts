/** The addresses that share the first `prefixBits` of `base`, which is always 16 bytes. */
export interface Network {
  base: Uint8Array;
  prefixBits: number;
}

const mappedPrefixBits = 96;
const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** Reads an address literal as URL.hostname and dns.lookup write it (IPv6 with or without brackets, never a zone). */
export function parseAddress(text: string): Uint8Array | null {
  if (text.startsWith('[') && text.endsWith(']')) return parseIPv6(text.slice(1, -1));
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

/** Reads a CIDR such as 10.0.0.0/8; throws on anything else, since only operators and our own table write them. */
export function parseNetwork(text: string): Network {
  const [, addressText = '', bitsText = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  const bits = Number(bitsText);
  if (!address || bitsText === '' || bits > address.length * 8) throw new Error(`not a network in CIDR form: ${text}`);
  return {
    base: toSixteenBytes(address),
    prefixBits: address.length === 4 ? mappedPrefixBits + bits : bits,
  };
}

/** Returns whether an address of 4 or 16 bytes is in a network; even a wide IPv6 network never includes IPv4. */
export function networkContains({ base, prefixBits }: Network, bytes: Uint8Array): boolean {
  const address = toSixteenBytes(bytes);
  if (isMapped(address) && prefixBits < mappedPrefixBits) return false;
  return address.every((byte, index) => {
    const bitsHere = Math.min(Math.max(prefixBits - index * 8, 0), 8);
    const mask = (0xff << (8 - bitsHere)) & 0xff;
    return (byte & mask) === ((base[index] ?? 0) & mask);
  });
}

/** Writes an address in its one shortest form. An IPv4 address that is mapped into IPv6 is written as IPv4. */
export function formatAddress(bytes: Uint8Array): string {
  const address = toSixteenBytes(bytes);
  if (isMapped(address)) return address.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** One client for limits: an IPv4 address, or an IPv6 /64, because a host can use every address of its /64. */
export function clientNetwork(address: string): string {
  const bytes = parseAddress(address);
  if (bytes?.length !== 16) return address;
  return `${formatAddress(bytes.map((byte, index) => (index < 8 ? byte : 0)))}/64`;
}

/** Maps an address of 4 bytes into IPv6. */
export function toSixteenBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 4 ? Uint8Array.of(...mappedPrefix, ...bytes) : bytes;
}

/** Returns whether 16 bytes are an IPv4 address. */
export function isMapped(address: Uint8Array): boolean {
  return mappedPrefix.every((byte, index) => address[index] === byte);
}

function parseIPv4(text: string): Uint8Array | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return Uint8Array.from(parts, Number);
}

function parseIPv6(text: string): Uint8Array | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (!head || tail === null) return null;
  if (tail === undefined) return head.length === 16 ? Uint8Array.from(head) : null;
  const zeros = 16 - head.length - tail.length;
  // "::" stands for at least one group of zeros.
  return zeros >= 2 ? Uint8Array.from([...head, ...Array<number>(zeros).fill(0), ...tail]) : null;
}

function parseGroups(text: string, isLastHalf: boolean): number[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const dotted = isLastHalf && index === groups.length - 1 ? parseIPv4(group) : null;
    if (!dotted) return null;
    bytes.push(...dotted);
  }
  return bytes;
}
