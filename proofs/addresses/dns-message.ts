import { bytesOf, readAddress } from './address.ts';

export interface Question {
  id: number;
  /** The queried name in lower case, without a dot at the end. */
  name: string;
  type: 'A' | 'AAAA' | 'other';
  /** The question's own bytes, which a reply repeats. */
  bytes: Buffer;
}

export interface Reply {
  status: 'ok' | 'servfail' | 'nxdomain';
  /** The chain of names that the queried one is an alias of, in order. */
  aliases: readonly string[];
  /** Addresses of both families; a reply has only those of the requested type. */
  addresses: readonly string[];
}

const headerBytes = 12;
const types = { A: 1, CNAME: 5, AAAA: 28 } as const;
const statuses = { ok: 0, servfail: 2, nxdomain: 3 } as const;

/** Reads the one question of a query; returns null if the message is not such a query. */
export function readQuestion(message: Buffer): Question | null {
  if (message.length < headerBytes || message.readUInt16BE(4) !== 1) return null;
  const labels: string[] = [];
  let offset = headerBytes;
  for (;;) {
    const length = message[offset];
    if (length === undefined || length > 63) return null;
    offset += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', offset, offset + length));
    offset += length;
  }
  if (message.length < offset + 4) return null;
  const number = message.readUInt16BE(offset);
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: number === types.A ? 'A' : number === types.AAAA ? 'AAAA' : 'other',
    bytes: message.subarray(headerBytes, offset + 4),
  };
}

/** Writes a resolver's reply: the chain of aliases, then the addresses of the last one. A TTL of 0 forbids caching. */
export function writeReply({ id, name, type, bytes }: Question, { status, aliases, addresses }: Reply): Buffer {
  const owners = [name, ...aliases];
  const records = [
    ...aliases.map((alias, index) => record(owners[index] ?? name, types.CNAME, writeName(alias))),
    ...addresses
      .map(readAddress)
      .filter(({ family }) => type === (family === 4 ? 'A' : 'AAAA'))
      .map((address) => record(owners.at(-1) ?? name, address.family === 4 ? types.A : types.AAAA, bytesOf(address))),
  ];
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(id, 0);
  // The flags of a response; recursion was desired and is available.
  header.writeUInt16BE(0x8180 | statuses[status], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, bytes, ...records]);
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2); // the internet
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(owner), fixed, data]);
}

function writeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]),
    Buffer.of(0),
  ]);
}
