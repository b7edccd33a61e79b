/** A request in bytes that no HTTP client would send. */
export interface RawCase {
  name: string;
  bytes: Buffer;
  /** Whether the API only closes the connection, without a response. */
  isOnlyClosed: boolean;
}

/** The cases to which no response is possible: Node closes a connection that asks for a tunnel. */
const onlyClosed: ReadonlySet<string> = new Set(['CONNECT']);

/** Returns sixty broken, contradictory or oversized requests with a valid `key`, so that authorisation lets them in. */
export function rawCases(key: string): RawCase[] {
  const host = 'Host: kinora\r\n';
  const auth = `Authorization: Bearer ${key}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const create = `POST /v1/videos/text-to-video HTTP/1.1\r\n${host}${auth}${json}`;
  const read = (more: string, path = '/v1/limits'): string => `GET ${path} HTTP/1.1\r\n${host}${auth}${more}\r\n`;
  const body = '{"prompt":"a hill"}';
  const form = (content: string, boundary = 'b'): string =>
    `POST /v1/files HTTP/1.1\r\n${host}${auth}Content-Type: multipart/form-data; boundary=${boundary}\r\n` +
    `Content-Length: ${Buffer.byteLength(content, 'latin1')}\r\n\r\n${content}`;
  const texts: [string, string][] = [
    // the request line
    ['nothing but a line break', '\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['a version that does not exist', `GET /healthz HTTP/9.9\r\n${host}\r\n`],
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n'],
    ['an unknown method', `FROBNICATE /v1/limits HTTP/1.1\r\n${host}${auth}\r\n`],
    ['a method in lower case', `get /v1/limits HTTP/1.1\r\n${host}${auth}\r\n`],
    ['a method of 10,000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\n${host}\r\n`],
    ['two spaces in the request line', `GET  /v1/limits HTTP/1.1\r\n${host}${auth}\r\n`],
    ['a tab in the request line', `GET\t/v1/limits\tHTTP/1.1\r\n${host}${auth}\r\n`],
    ['an address without a slash', `GET v1/limits HTTP/1.1\r\n${host}${auth}\r\n`],
    ['an absolute address', read('', 'http://127.0.0.1/v1/limits')],
    ['an absolute address elsewhere', read('', 'http://169.254.169.254/latest/meta-data')],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
    ['CONNECT', `CONNECT 169.254.169.254:80 HTTP/1.1\r\n${host}\r\n`],
    ['TRACE', `TRACE /v1/limits HTTP/1.1\r\n${host}${auth}\r\n`],
    ['an address of 9,000 characters', read('', `/v1/videos/${'a'.repeat(9000)}`)],
    ['a broken percent escape', read('', '/v1/videos/%zz')],
    ['a percent escape that is not UTF-8', read('', '/v1/videos/%ff%fe')],
    ['an escaped NUL', read('', '/v1/videos/task_%00')],
    ['an escaped slash', read('', '/v1/videos/..%2f..%2fetc%2fpasswd')],
    ['dots', read('', '/v1/../../etc/passwd')],
    ['a NUL in the address', read('', '/v1/videos/\0')],
    ['bytes beyond ASCII in the address', read('', '/v1/videos/\xff\xfe')],
    ['a query of nothing but ampersands', read('', `/v1/videos?${'&'.repeat(4000)}`)],
    ['a query with 2,000 names', read('', `/v1/videos?${Array.from({ length: 2000 }, (_, n) => `a${n}`).join('&')}`)],
    ['the same query name twice', read('', '/v1/videos?limit=1&limit=2')],
    ['a query that names prototypes', read('', '/v1/videos?__proto__=1&constructor=2&limit[x]=3')],
    // headers
    ['no Host', `GET /v1/limits HTTP/1.1\r\n${auth}\r\n`],
    ['two Hosts', `GET /v1/limits HTTP/1.1\r\n${host}${host}${auth}\r\n`],
    ['an invalid Host', `GET /v1/limits HTTP/1.1\r\nHost: <script>\r\n${auth}\r\n`],
    ['a header without a colon', read('Nonsense\r\n')],
    ['a header without a name', read(': value\r\n')],
    ['a space before the colon', read('X-Thing : value\r\n')],
    ['a folded header', read('X-Thing: one\r\n two\r\n')],
    ['a NUL in a header', read('X-Thing: a\0b\r\n')],
    ['a carriage return in a header', read('X-Thing: a\rb\r\n')],
    ['line breaks without carriage returns', `GET /v1/limits HTTP/1.1\n${host.trim()}\n${auth.trim()}\n\n`],
    ['a header of 100,000 characters', read(`X-Thing: ${'a'.repeat(100_000)}\r\n`)],
    ['3,000 headers', read(Array.from({ length: 3000 }, (_, n) => `X-${n}: a\r\n`).join(''))],
    ['bytes beyond ASCII in a header', read('X-Request-Id: \xff\xfe\r\n')],
    ['a request id with a line break in it', read('X-Request-Id: a%0d%0aSet-Cookie: b\r\n')],
    ['an upgrade to a web socket', read('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n')],
    ['an unknown expectation', `${create}Expect: 200-maybe\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    ['every Range at once', read(`Range: bytes=${Array.from({ length: 500 }, (_, n) => `${n}-`).join(',')}\r\n`)],
    // bodies
    ['no length', `${create}\r\n${body}`],
    ['a length that is not a number', `${create}Content-Length: many\r\n\r\n${body}`],
    ['a negative length', `${create}Content-Length: -1\r\n\r\n${body}`],
    ['two lengths', `${create}Content-Length: ${body.length}\r\nContent-Length: 3\r\n\r\n${body}`],
    [
      'length and chunks',
      `${create}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n`,
    ],
    ['an encoding of two kinds', `${create}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk with a broken size', `${create}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk larger than anything', `${create}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n${body}`],
    ['a length of a terabyte', `${create}Content-Length: 1099511627776\r\n\r\n${body}`],
    ['a body that is not UTF-8', `${create}Content-Length: 14\r\n\r\n{"prompt":"\xff"}`],
    ['100,000 brackets', `${create}Content-Length: 60000\r\n\r\n${'['.repeat(60_000)}`],
    ['a form without its boundary', form('--c\r\n\r\nx\r\n--c--')],
    ['a form with an empty boundary', form('----', '')],
    [
      'a form that breaks off',
      form('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n\x89PNG'),
    ],
    ['a form with a header without end', form(`--b\r\ncontent-disposition: ${'x'.repeat(200_000)}`)],
  ];
  return texts.map(([name, text]) => ({
    name,
    bytes: Buffer.from(text, 'latin1'),
    isOnlyClosed: onlyClosed.has(name),
  }));
}
