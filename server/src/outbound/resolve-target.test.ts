import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { parseAddress, parseNetwork } from '../domain/ip-address.ts';
import { OutboundRefused } from '../errors.ts';
import { checkUrl } from './check-url.ts';
import { createAddressRule } from './outbound-policy.ts';
import { type Resolve, resolveTarget, resolveWithSystem } from './resolve-target.ts';

// These tests decide and never connect: a mistake in the code under test must not send a packet to a real network.
const permissive = { allowHttp: true, allowedPorts: [] as number[] };
const nothingOpened = { ...permissive, allowedNetworks: [], deniedNetworks: [], publicHost: null };
const isAllowed = createAddressRule(nothingOpened);
const never = new AbortController().signal;

/** Returns 'allowed' or the reason of the refusal. A lookup is an error unless the test passes `resolve`. */
async function verdict(url: string, policy = permissive, resolve: Resolve = failOnName): Promise<string> {
  try {
    await resolveTarget({ resolve, isAllowed }, checkUrl(url, policy).hostname, never);
    return 'allowed';
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    throw error;
  }
}

const resolveToPublic: Resolve = async () => ['8.8.8.8'];

async function failOnName(host: string): Promise<string[]> {
  throw new TypeError(`unexpected lookup of ${host}`);
}

const forbiddenTargets = [
  [127, 0, 0, 1],
  [0, 0, 0, 0],
  [10, 1, 2, 3],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
  [169, 254, 169, 254],
  [172, 16, 0, 1],
  [192, 0, 0, 192],
  [192, 168, 1, 1],
  [255, 255, 255, 255],
] as const;
type Quad = readonly [number, number, number, number];

const octal = (value: number) => `0${value.toString(8)}`;
const hex = (value: number) => `0x${value.toString(16)}`;

function numericSpellings([a, b, c, d]: Quad): string[] {
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const dotted = [a, b, c, d].join('.');
  const lastThree = (b << 16) | (c << 8) | d;
  const lastTwo = (c << 8) | d;
  return [
    dotted,
    `${dotted}.`,
    String(whole),
    octal(whole),
    hex(whole),
    hex(whole).toUpperCase(),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((value) => `000${octal(value)}`).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${a}.${lastThree}`,
    `${hex(a)}.${octal(lastThree)}`,
    `${a}.${b}.${lastTwo}`,
    `${octal(a)}.${hex(b)}.${lastTwo}`,
    `${hex(a)}.${b}.${octal(c)}.${d}`,
  ];
}

function unicodeSpellings(quad: Quad): string[] {
  const dotted = quad.join('.');
  const digits = (zero: number) => dotted.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
  return [
    digits(0xff10), // full width
    digits(0x1d7ce), // mathematical bold
    digits(0x1d7f6), // mathematical monospace
    ...['。', '．', '｡', '%2e', '%E3%80%82'].map((dot) => dotted.replaceAll('.', dot)),
    dotted.replace(/\d/g, (digit) => `%3${digit}`),
    dotted.replace('.', '\u00ad.'),
    dotted.replace('.', '\u200b.'),
  ];
}

function embeddings([a, b, c, d]: Quad): string[] {
  const dotted = [a, b, c, d].join('.');
  const high = ((a << 8) | b).toString(16);
  const low = ((c << 8) | d).toString(16);
  return [
    `[::ffff:${dotted}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${dotted}]`,
    `[::${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${dotted}]`,
    `[64:ff9b:1:${high}:${low}::]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${dotted}]`,
    `[2606:4700::5efe:${dotted}]`,
    `[2606:4700::200:5efe:${dotted}]`,
    `[fe80::5efe:${dotted}]`,
  ];
}

describe('spellings of forbidden addresses', () => {
  const spellings = forbiddenTargets.flatMap((target) =>
    [...numericSpellings(target), ...unicodeSpellings(target), ...embeddings(target)].flatMap((host) => [
      `http://${host}/`,
      `https://${host}:443/a?b#c`,
      `http:${host}/`,
      `HTTP:\\\\${host}\\`,
      ` http://${host}/`,
      `ht\ntp://${host}/`,
      `http://${host}#@example.com/`,
      `http://${host}\\@example.com/`,
    ]),
  );

  test('each spelling of a forbidden address is refused without a lookup', async () => {
    const accepted: string[] = [];
    for (const url of spellings) if ((await verdict(url)) !== 'forbidden_address') accepted.push(url);
    expect(accepted).toEqual([]);
    expect(spellings.length).toBeGreaterThan(2_000);
  });

  test('the same spellings of a public address are allowed, so it is not the spelling that causes the refusal', async () => {
    for (const host of [...numericSpellings([8, 8, 4, 4]), ...unicodeSpellings([8, 8, 4, 4]), '[::ffff:8.8.4.4]']) {
      expect([host, await verdict(`http://${host}/`)]).toEqual([host, 'allowed']);
    }
  });
});

describe('URLs that are refused before a lookup', () => {
  test.each([
    ['', 'bad_url'],
    ['example.com', 'bad_url'],
    ['//127.0.0.1/', 'bad_url'],
    ['/etc/passwd', 'bad_url'],
    ['http://', 'bad_url'],
    ['http://4294967296/', 'bad_url'],
    ['http://127.0.0.256/', 'bad_url'],
    ['http://[fe80::1%25lo]/', 'bad_url'],
    ['http://[::1', 'bad_url'],
    ['http://localhost%00.example.com/', 'bad_url'],
    ['http://127.0.0.1%0d%0aHost:x/', 'bad_url'],
    ['http://example.com:65536/', 'bad_url'],
    ['file:///etc/passwd', 'scheme'],
    ['FILE://localhost/etc/passwd', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['gopher://127.0.0.1:6379/_x', 'scheme'],
    ['data:image/png;base64,AAAA', 'scheme'],
    ['blob:https://example.com/x', 'scheme'],
    ['ws://example.com/', 'scheme'],
    ['unix:/var/run/docker.sock', 'scheme'],
    ['http://user:password@example.com/', 'credentials'],
    ['http://:password@example.com/', 'credentials'],
    ['http://example.com@127.0.0.1/', 'credentials'],
    ['http://127.0.0.1@example.com/', 'credentials'],
    ['http://foo@[::1]@example.com/', 'credentials'],
    ['http://example.com:0/', 'port'],
    ['http://example.com:22/', 'port'],
    ['https://example.com:8443/', 'port'],
  ])('%j is refused with %s', async (url, reason) => {
    expect(await verdict(url)).toBe(reason);
  });

  test('a URL of more than 8192 characters is refused', async () => {
    expect(await verdict(`https://8.8.8.8/${'a'.repeat(8192 - 16)}`)).toBe('allowed');
    expect(await verdict(`https://8.8.8.8/${'a'.repeat(8192 - 15)}`)).toBe('bad_url');
  });

  test('the policy decides about http and further ports', async () => {
    expect(await verdict('http://example.com/', { allowHttp: false, allowedPorts: [] }, resolveToPublic)).toBe(
      'scheme',
    );
    expect(await verdict('http://example.com/', permissive, resolveToPublic)).toBe('allowed');
    expect(
      await verdict('https://example.com:8443/', { allowHttp: false, allowedPorts: [8443] }, resolveToPublic),
    ).toBe('allowed');
  });
});

describe('names', () => {
  test.each<[string[], string]>([
    [['8.8.8.8'], 'allowed'],
    [['8.8.8.8', '2606:4700::1'], 'allowed'],
    [['8.8.8.8', '127.0.0.1'], 'forbidden_address'],
    [['10.0.0.1', '8.8.8.8'], 'forbidden_address'],
    [['8.8.8.8', '::1'], 'forbidden_address'],
    [['8.8.8.8', '::ffff:10.0.0.1'], 'forbidden_address'],
    [['fe80::1%eth0'], 'forbidden_address'],
    [['not an address'], 'forbidden_address'],
    [['8.8.8.8', ''], 'forbidden_address'],
    [[], 'unresolvable'],
  ])('the verdict on a name that resolves to %j is %s', async (answers, expected) => {
    expect(await verdict('https://example.com/', permissive, async () => answers)).toBe(expected);
  });

  test('localhost and its subdomains are loopback, whatever a name server returns', async () => {
    for (const host of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loca\u00adlhost']) {
      expect([host, await verdict(`https://${host}/`, permissive, resolveWithSystem)]).toEqual([
        host,
        'forbidden_address',
      ]);
    }
  });

  test('a name is unresolvable if the lookup fails, and a lookup that hangs is abandoned at the deadline', async () => {
    expect(await verdict('https://example.com/', permissive, () => Promise.reject(new Error('ENOTFOUND')))).toBe(
      'unresolvable',
    );
    const deadline = new AbortController();
    const hanging = () => {
      deadline.abort(new OutboundRefused('timeout'));
      return Promise.withResolvers<string[]>().promise;
    };
    const target = { resolve: hanging, isAllowed };
    await expect(resolveTarget(target, 'example.com', deadline.signal)).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('a network that the operator has opened is allowed, and its neighbours are not', async () => {
    const opened = {
      resolve: failOnName,
      isAllowed: createAddressRule({ ...nothingOpened, allowedNetworks: ['10.20.0.0/16', 'fd00:1::/32'] }),
    };
    expect(await resolveTarget(opened, '10.20.255.255', never)).toEqual(['10.20.255.255']);
    expect(await resolveTarget(opened, '[fd00:1::5]', never)).toEqual(['fd00:1::5']);
    for (const host of ['10.21.0.0', '10.19.255.255', '[fd00:2::5]', '127.0.0.1']) {
      await expect(resolveTarget(opened, host, never)).rejects.toMatchObject({ reason: 'forbidden_address' });
    }
  });
});

test('a public network that the operator has closed is refused, also behind a name', async () => {
  const closed = {
    resolve: async () => ['2600:1f18::7'],
    isAllowed: createAddressRule({ ...nothingOpened, deniedNetworks: ['2600:1f00::/24'] }),
  };
  for (const host of ['[2600:1f18::7]', 'database.example.com']) {
    await expect(resolveTarget(closed, host, never)).rejects.toMatchObject({ reason: 'forbidden_address' });
  }
  expect(await resolveTarget(closed, '[2600:2000::7]', never)).toEqual(['2600:2000::7']);
});

test('a public address of this machine is refused, unless the URL names our own public host', async () => {
  const own = () => [parseNetwork('203.1.2.3/32')];
  const here = {
    resolve: async () => ['203.1.2.3'],
    isAllowed: createAddressRule({ ...nothingOpened, publicHost: 'kinora.example.com' }, own),
  };
  for (const host of ['203.1.2.3', '[::ffff:203.1.2.3]', 'other.example.com']) {
    await expect(resolveTarget(here, host, never)).rejects.toMatchObject({ reason: 'forbidden_address' });
  }
  expect(await resolveTarget(here, 'kinora.example.com', never)).toEqual(['203.1.2.3']);
  expect(await resolveTarget(here, '203.1.2.4', never)).toEqual(['203.1.2.4']);
});

describe('name servers', () => {
  const records: Record<string, readonly string[]> = {
    'both.test': ['8.8.8.8', '9.9.9.9', '2606:4700::1'],
    'four.test': ['8.8.8.8'],
    'six.test': ['2606:4700::1'],
  };

  test('both address families are queried and alternate, and one of them is enough', async () => {
    await using server = await nameServer(records);
    const resolve = (host: string) => resolveWithSystem(host, never, server.addresses);
    expect(await resolve('both.test')).toEqual(['8.8.8.8', '2606:4700::1', '9.9.9.9']);
    expect(await resolve('four.test')).toEqual(['8.8.8.8']);
    expect(await resolve('six.test')).toEqual(['2606:4700::1']);
    await expect(resolve('none.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('lookups that get no response do not delay others, and end when their caller aborts', async () => {
    await using server = await nameServer(records);
    const ending = new AbortController();
    const silent = Array.from({ length: 20 }, (_, index) =>
      resolveWithSystem(`silent${index}.test`, ending.signal, server.addresses),
    );
    expect(await resolveWithSystem('four.test', never, server.addresses)).toEqual(['8.8.8.8']);
    ending.abort();
    for (const lookup of silent) await expect(lookup).rejects.toMatchObject({ code: 'ECANCELLED' });
  });
});

/** Starts a name server with these records. It does not respond to queries for names that begin with "silent". */
async function nameServer(records: Readonly<Record<string, readonly string[]>>) {
  const socket = createSocket('udp4', (query, from) => {
    const end = query.indexOf(0, 12);
    // A name of two labels, each preceded by its length.
    const firstLength = query.readUInt8(12);
    const name = `${query.toString('latin1', 13, 13 + firstLength)}.${query.toString('latin1', 14 + firstLength, end)}`;
    if (name.startsWith('silent')) return;
    const isIPv6 = query.readUInt16BE(end + 1) === 28;
    const answers = (records[name] ?? [])
      .filter((address) => address.includes(':') === isIPv6)
      .map((address) => parseAddress(address) ?? Buffer.alloc(0))
      // A pointer to the queried name, the queried type, class IN, a time to live of 0, the length.
      .map((bytes) => Buffer.from([0xc0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]));
    const counts = [0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0];
    socket.send(
      Buffer.concat([query.subarray(0, 2), Buffer.from(counts), query.subarray(12, end + 5), ...answers]),
      from.port,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    addresses: [`127.0.0.1:${socket.address().port}`],
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}
