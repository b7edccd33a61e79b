import { gzipSync } from 'node:zlib';
import { engineWords, raw, type Spoil, type Writer } from './mutation.ts';

interface BrokenResponse {
  name: string;
  spoil: Spoil;
  /** It ends only when the reader times out. */
  isSlow?: true;
  /** As an output file it would last longer than the proof, because the time limit for files is long. */
  outlastsOutput?: true;
  /** The reader can use the response nevertheless. */
  isHarmless?: true;
}

const megabyte = 1024 * 1024;
const page = `<!doctype html><html><body><h1>Bad gateway</h1><p>${engineWords}</p></body></html>`;
const large = raw(JSON.stringify({ error: engineWords.padEnd(10 * megabyte, 'e') }));
const bomb = gzipSync(Buffer.alloc(64 * megabyte));

/** Responses that no client can use, for any request. */
export const brokenResponses: readonly BrokenResponse[] = [
  { name: 'HTML with status 200', spoil: () => raw(page, 200, 'text/html') },
  { name: 'HTML called JSON', spoil: () => raw(page) },
  { name: 'an empty body', spoil: () => raw('') },
  {
    name: 'half of the response',
    spoil: ({ body, ...rest }) => ({ ...rest, body: body.subarray(0, body.length / 2) }),
  },
  { name: 'JSON null', spoil: () => raw('null') },
  { name: 'a JSON list', spoil: () => raw('[]') },
  { name: 'a JSON number', spoil: () => raw('7') },
  { name: 'a JSON string', spoil: () => raw(JSON.stringify(engineWords)) },
  { name: 'an object without fields', spoil: () => raw('{}') },
  {
    name: 'a prototype for every object',
    spoil: () => raw('{"__proto__":{"status":"completed","state":"succeeded"}}'),
  },
  { name: 'JSON nested 100,000 deep', spoil: () => raw('['.repeat(100_000)) },
  { name: 'bytes that are not UTF-8', spoil: () => raw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0x22, 0x7d])) },
  { name: 'a response of 10 MB', spoil: () => large },
  { name: 'status 204', spoil: () => raw('', 204) },
  { name: 'status 206', spoil: () => raw('{}', 206) },
  {
    name: 'a gzip bomb',
    spoil: () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: bomb,
    }),
  },
  { name: 'a body without an end', outlastsOutput: true, spoil: () => endless },
  { name: 'a body that trickles', isSlow: true, outlastsOutput: true, spoil: () => trickle },
  { name: 'no response', isSlow: true, spoil: () => () => undefined },
  { name: 'a reset before the response', spoil: () => (response) => void response.socket?.resetAndDestroy() },
  { name: 'a reset in the middle of the body', spoil: ({ body }) => resetAmid(body) },
  { name: 'an end before the announced length', spoil: ({ body }) => announce(body, body.length + 1000, true) },
  {
    name: 'a body beyond the announced length',
    spoil: ({ body }) => announce(body, Math.max(1, body.length - 10), true),
  },
  { name: 'a second response after the first', isHarmless: true, spoil: ({ body }) => followedByAnother(body) },
  {
    name: 'headers of 100 kB',
    spoil: (honest) => ({ ...honest, headers: { ...honest.headers, 'x-filler': 'h'.repeat(100_000) } }),
  },
  { name: 'another protocol', spoil: () => overSocket('SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'a status that does not exist', spoil: () => overSocket('HTTP/1.1 000 zq\r\ncontent-length: 2\r\n\r\n{}') },
  {
    name: 'two lengths',
    spoil: () => overSocket('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}'),
  },
  {
    name: 'a chunk of a negative size',
    spoil: () => overSocket('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\n{}'),
  },
  { name: 'a thousand early hints', spoil: () => overSocket('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)) },
  ...[301, 302, 307, 308].map((status) => ({
    name: `redirect ${status} to a forbidden address`,
    spoil: redirect(status, (canaryUrl) => canaryUrl),
  })),
  { name: 'redirect to the metadata address', spoil: redirect(302, () => 'http://169.254.169.254/latest/meta-data/') },
  { name: 'redirect to a file', spoil: redirect(302, () => 'file:///etc/passwd') },
];

function redirect(status: number, to: (canaryUrl: string) => string): Spoil {
  return (_honest, { canaryUrl }) => ({ status, headers: { location: to(canaryUrl) }, body: Buffer.alloc(0) });
}

const endless: Writer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const block = Buffer.alloc(64 * 1024, '[');
  // Writes only as fast as the client reads, so that nothing piles up in this process.
  const pour = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', pour);
  pour();
};

const trickle: Writer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write('['), 100);
  response.on('close', () => clearInterval(timer));
};

function resetAmid(body: Buffer): Writer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length + 1 });
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.resetAndDestroy());
  };
}

/** Sends a body with a chosen Content-Length. */
function announce(body: Buffer, length: number, closes: boolean): Writer {
  return overSocket(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`),
      body,
    ]),
    closes,
  );
}

/** Sends a second response, which a reader that reuses the connection could take for that of its next request. */
function followedByAnother(body: Buffer): Writer {
  const responseOf = (content: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${content.length}\r\n\r\n`),
      content,
    ]);
  const lie = Buffer.from(
    JSON.stringify({ state: 'failed', status: 'failed', error: engineWords, reason: engineWords }),
  );
  return overSocket(Buffer.concat([responseOf(body), responseOf(lie)]));
}

function overSocket(bytes: string | Buffer, closes = true): Writer {
  return (response) => {
    const { socket } = response;
    if (closes) socket?.end(bytes);
    else socket?.write(bytes);
  };
}
