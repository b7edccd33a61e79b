import { createServer } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { describe, expect, test } from 'vitest';
import { createGuardedFetcher, type GuardedFetchOptions, type GuardedResponse } from './guarded-fetch.ts';
import { listen, respondingWith } from './loopback-server.fixture.ts';
import { loopbackPolicy } from './outbound-policy.fixture.ts';

const maxBytes = 100_000;
const head = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;
const plain = Buffer.from('a picture, say '.repeat(1_000));

/** Fetches from the server and then waits until the connection is closed, whatever happened. */
async function fetchFrom(server: Server, options: Partial<GuardedFetchOptions> = {}): Promise<GuardedResponse> {
  await using running = await listen(server);
  const policy = loopbackPolicy(running.port);
  const url = `http://127.0.0.1:${running.port}/`;
  try {
    return await createGuardedFetcher(policy).fetch(url, {
      maxBytes,
      timeoutMilliseconds: hangLimitMilliseconds,
      maxRedirects: 0,
      ...options,
    });
  } finally {
    await running.idle();
  }
}

function encoded(encoding: string, body: Uint8Array): Server {
  return createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
}

function writeEndlessly(socket: Socket, bytes: Uint8Array): void {
  const more = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const dripping = (start: string) =>
  respondingWith(start, (socket) => {
    const timer = setInterval(() => socket.write('a'), 10);
    socket.on('close', () => clearInterval(timer));
  });

describe('size', () => {
  test('a body of exactly the limit is read, one byte more is refused', async () => {
    const exact = createServer((_request, response) => response.end(Buffer.alloc(maxBytes, 7)));
    expect((await fetchFrom(exact)).body).toEqual(new Uint8Array(maxBytes).fill(7));
    const over = createServer((_request, response) => {
      response.write(Buffer.alloc(maxBytes, 7));
      response.end('x');
    });
    await expect(fetchFrom(over)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('a content length that is too large is refused before the body arrives', async () => {
    const claims = respondingWith(head(`content-length: ${maxBytes + 1}`), () => {});
    await expect(fetchFrom(claims)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test.each([
    ['without a length', head('connection: close'), Buffer.alloc(16_384, 1)],
    ['in chunks', head('transfer-encoding: chunked'), Buffer.from(`4000\r\n${'a'.repeat(0x4000)}\r\n`)],
    ['in chunks of one byte', head('transfer-encoding: chunked'), Buffer.from('1\r\na\r\n'.repeat(2_000))],
  ])('an endless body %s is cut off at the limit', async (_how, start, bytes) => {
    const endless = respondingWith(start, (socket) => writeEndlessly(socket, bytes));
    await expect(fetchFrom(endless)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('bytes beyond the stated length are not part of the body', async () => {
    const longer = respondingWith(`${head('content-length: 5')}hello and much more`);
    expect(Buffer.from((await fetchFrom(longer)).body).toString()).toBe('hello');
  });

  test.each([
    ['a body shorter than its length', `${head('content-length: 50')}hello`],
    ['a chunked body that is cut off', `${head('transfer-encoding: chunked')}5\r\nhel`],
    ['two different lengths', `${head('content-length: 5', 'content-length: 6')}hello`],
    ['a length beside chunks', `${head('content-length: 5', 'transfer-encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    ['a server that hangs up', ''],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('%s is a failed connection', async (_what, bytes) => {
    await expect(fetchFrom(respondingWith(bytes))).rejects.toMatchObject({ reason: 'connection_failed' });
  });

  test.each([
    ['one large header', respondingWith(head(`x-large: ${'a'.repeat(20_000)}`))],
    ['many small ones', respondingWith(head(...Array.from({ length: 3_000 }, (_, index) => `x-${index}: aaaa`)))],
    [
      'headers without end',
      respondingWith('HTTP/1.1 200 OK\r\n', (socket) =>
        writeEndlessly(socket, Buffer.from('x-a: aaaa\r\n'.repeat(1_000))),
      ),
    ],
    [
      'trailers without end',
      respondingWith(`${head('transfer-encoding: chunked')}0\r\n`, (socket) =>
        writeEndlessly(socket, Buffer.from('x-a: aaaa\r\n'.repeat(1_000))),
      ),
    ],
  ])('%s are too large', async (_what, server) => {
    await expect(fetchFrom(server)).rejects.toMatchObject({ reason: 'headers_too_large' });
  });
});

test('a server that hangs up before it gets a request is a failed connection', async () => {
  const rude = createRawServer((socket) => socket.destroy());
  await expect(fetchFrom(rude)).rejects.toMatchObject({ reason: 'connection_failed' });
});

describe('time', () => {
  test.each([
    ['a server that accepts and says nothing', respondingWith('', () => {})],
    ['headers that never end', dripping('HTTP/1.1 200 OK\r\nx: ')],
    ['a body that drips', dripping(head('content-length: 90000'))],
    [
      'an encoded body that stops',
      respondingWith(
        Buffer.concat([Buffer.from(head('content-encoding: gzip')), gzipSync(plain).subarray(0, 20)]),
        () => {},
      ),
    ],
  ])('%s runs into the one deadline', async (_what, server) => {
    await expect(fetchFrom(server, { timeoutMilliseconds: 150 })).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('redirects do not extend the deadline', async () => {
    const slowRedirects = createServer((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 100);
    });
    const options = { timeoutMilliseconds: 250, maxRedirects: 20 };
    await expect(fetchFrom(slowRedirects, options)).rejects.toMatchObject({ reason: 'timeout' });
  });
});

describe('content encoding', () => {
  test.each([
    ['gzip', gzipSync(plain)],
    ['X-GZIP', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['identity', plain],
    ['identity, gzip', gzipSync(plain)],
  ])('%s is decoded although the request does not accept it', async (encoding, body) => {
    expect(Buffer.from((await fetchFrom(encoded(encoding, body))).body).equals(plain)).toBe(true);
  });

  test('an empty body with an encoding is empty', async () => {
    expect((await fetchFrom(encoded('gzip', Buffer.alloc(0)))).body).toHaveLength(0);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(20_000_000))],
    ['deflate', deflateSync(Buffer.alloc(20_000_000))],
    ['deflate', deflateRawSync(Buffer.alloc(20_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000))],
  ])('a bomb in %s is stopped at the limit', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(maxBytes);
    await expect(fetchFrom(encoded(encoding, bomb))).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('a body that does not compress may be a little larger on the wire than decoded', async () => {
    const body = Buffer.alloc(maxBytes, 7);
    const stored = gzipSync(body, { level: 0 });
    expect(stored.length).toBeGreaterThan(maxBytes);
    expect((await fetchFrom(encoded('gzip', stored))).body).toHaveLength(maxBytes);
  });

  test('an endless encoded stream that decodes to nothing is cut off', async () => {
    const emptyBlocks = Buffer.from('000000ffff'.repeat(2_000), 'hex');
    const start = Buffer.concat([Buffer.from(head('content-encoding: deflate')), Buffer.from('789c', 'hex')]);
    const endless = respondingWith(start, (socket) => writeEndlessly(socket, emptyBlocks));
    await expect(fetchFrom(endless)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test.each([
    ['gzip', Buffer.from('not gzip at all')],
    ['gzip', gzipSync(plain).subarray(0, 30)],
    ['deflate', Buffer.from('neither with nor without a frame')],
    ['deflate', deflateRawSync(plain).subarray(0, 30)],
    ['br', Buffer.from('not brotli at all')],
    ['gzip, gzip', gzipSync(gzipSync(plain))],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
    ['compress', plain],
    ['constructor', plain],
    ['aws-chunked', plain],
  ])('%s that is broken, stacked or unknown is refused', async (encoding, body) => {
    await expect(fetchFrom(encoded(encoding, body))).rejects.toMatchObject({ reason: 'bad_encoding' });
  });
});
