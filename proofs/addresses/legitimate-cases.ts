import { type Case, type Column, publicAddresses, publicZone, type World } from './address-case.ts';
import type { Page } from './internet.ts';
import { encoders, pngBytes, serveBytes, servePicture, serveRedirect } from './pages.ts';

const { ipv4, ipv6 } = publicAddresses;

/** Hosts of legitimate URLs; all of them resolve to the proof's own public addresses. */
export const legitimateHosts = [
  `www.${publicZone}`,
  `WWW.Upper.${publicZone}`,
  `a.b.c.d.e.f.g.${publicZone}`,
  `x-y--z.${publicZone}`,
  `1.${publicZone}`,
  `127-0-0-1.${publicZone}`,
  `localhost.${publicZone}`,
  `my_bucket.${publicZone}`,
  `${'l'.repeat(63)}.${publicZone}`,
  `dot.${publicZone}.`,
  'bücher.test',
  'xn--bcher-kva.test',
  '例え.テスト',
  'straße.test',
  'emoji-😀.test',
  'Ｆｕｌｌwidth.test',
  'metadata-but-public.test',
  'internal.example.test',
  '10.0.0.1.example.test',
  '0x7f.example.test',
];

/** Returns the same hosts as a certificate names them. */
export function certificateNames(): string[] {
  const names = legitimateHosts.map((host) => new URL(`https://${host}/`).hostname.replace(/\.$/, ''));
  return [...new Set([`*.${publicZone}`, ...names, ipv4, ipv6, ...literalAddresses])];
}

/** Public addresses next to blocks that are not public. */
const literalAddresses = [
  '9.255.255.255',
  '11.0.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
];

/** Cases of URLs that Kinora must fetch, of every kind that callers send. */
export function legitimateCases(column: Column, { internet, names, nextNumber }: World): Case[] {
  for (const host of legitimateHosts) {
    names.define(new URL(`https://${host}/`).hostname.replace(/\.$/, ''), () => ({ addresses: [ipv4] }));
  }
  const good = (what: string, write: (id: string) => string, page: Page = servePicture): Case => {
    const id = `g${nextNumber()}`;
    internet.serve(id, page);
    return {
      column,
      position: 'legitimate',
      what,
      url: write(`c/${id}`),
      allowed: ['fetched'],
      wasCarriedOut: () => internet.served(id) > 0,
    };
  };
  const at =
    (host: string, suffix = '') =>
    (path: string) =>
      `https://${host}/${path}${suffix}`;
  const www = `www.${publicZone}`;
  const resolving = (what: string, addresses: string[], aliases: string[] = []): Case => {
    const name = `a${nextNumber()}.${publicZone}`;
    names.define(name, () => ({ addresses, aliases }));
    return good(what, at(name));
  };

  const plain = [
    ...legitimateHosts.map((host) => good(`the host ${host}`, at(host))),
    ...[...literalAddresses, ipv4, ipv6].map((address) =>
      good(`the address ${address}`, at(address.includes(':') ? `[${address}]` : address)),
    ),
    good('an IPv6 address in full', at('[2606:4700:4700:0000:0000:0000:0000:1111]')),
    good('an IPv6 address in capitals', at('[2606:4700:4700::1111]'.toUpperCase())),
    good('the usual port written out', (path) => `https://${www}:443/${path}`),
    good('http', (path) => `http://${www}/${path}`),
    good('http with its port', (path) => `http://${www}:80/${path}`),
    good('a scheme in capitals', (path) => `HTTPS://${www}/${path}`),
    good('spaces around it', (path) => `  https://${www}/${path}  `),
    good('a query', at(www, '?width=800&height=600')),
    good('a query that names another URL', at(www, '?url=http://127.0.0.1/&next=//169.254.169.254/')),
    good('a fragment', at(www, '#top')),
    good('a fragment with an at sign', at(www, '#@127.0.0.1/')),
    good('encoded characters', at(www, '/a%20b%2Fc%00')),
    good('characters beyond ASCII', at(www, '/größe/写真.png?q=ü')),
    good('an at sign in the path', at(www, '/@user/photo@2x.png')),
    good('a colon in the path', at(www, '/a:80/b')),
    good('dots in the path', at(www, '/x/../y/./z.png')),
    good('two slashes in the path', at(www, '//x')),
    good('a backslash in the path', at(www, '\\x')),
    good('a semicolon', at(www, ';v=1/x,y')),
    good('no extension and a dot', at(www, '/file.')),
    resolving('a name with addresses of both families', [ipv4, ipv6]),
    resolving('a name with an IPv6 address only', [ipv6]),
    resolving(
      'a name with eight addresses',
      Array.from({ length: 8 }, (_, index) => `93.184.218.${index + 1}`),
    ),
    resolving('an alias', [ipv4], ['edge.cdn.test']),
    resolving('aliases of aliases', [ipv4, ipv6], ['a.cdn.test', 'b.cdn.test', 'c.cdn.test']),
    good('a body in chunks', at(www), (_request, response) => {
      for (let offset = 0; offset < pngBytes.length; offset += 1000)
        response.write(pngBytes.subarray(offset, offset + 1000));
      response.end();
    }),
    good(
      'a body that ends with the connection',
      at(www),
      serveBytes(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), pngBytes])),
    ),
    good(
      'no reason phrase',
      at(www),
      serveBytes(Buffer.concat([Buffer.from(`HTTP/1.1 200\r\nContent-Length: ${pngBytes.length}\r\n\r\n`), pngBytes])),
    ),
    good('early hints before the response', at(www), (request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      servePicture(request, response);
    }),
    ...(['gzip', 'deflate', 'br'] as const).map((coding) =>
      good(`a body in ${coding}`, at(www), (_request, response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(encoders[coding](pngBytes)),
      ),
    ),
    good('a body in deflate without its frame', at(www), (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(encoders.rawDeflate(pngBytes)),
    ),
    good('a body in GZIP, in capitals', at(www), (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'GZIP' }).end(encoders.gzip(pngBytes)),
    ),
    good('the encoding identity', at(www), (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'identity' }).end(pngBytes),
    ),
    good('no content type', at(www), (_request, response) => response.writeHead(200).end(pngBytes)),
    good('a wrong content type', at(www), (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(pngBytes),
    ),
    good('cookies and many headers', at(www), (_request, response) => {
      for (let index = 0; index < 40; index += 1) response.setHeader(`x-header-${index}`, 'v'.repeat(100));
      response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end(pngBytes);
    }),
    good('a server that supports neither HEAD nor ranges', at(www), (request, response) => {
      if (request.method === 'HEAD' || request.headers.range) return void response.writeHead(405).end();
      return servePicture(request, response);
    }),
    good('a slow server', at(www), (request, response) => {
      setTimeout(() => servePicture(request, response), 1500);
    }),
  ];
  // Kinora follows no redirects of callbacks.
  if (column === 'callback_url') return plain;

  const end = `g${nextNumber()}`;
  internet.serve(end, servePicture);
  const redirecting = (what: string, status: number, location: string): Case =>
    good(what, at(www), serveRedirect(status, location));
  const hops = (count: number): string => {
    let next = `https://${www}/c/${end}`;
    for (let hop = 0; hop < count; hop += 1) {
      const id = `g${nextNumber()}`;
      internet.serve(id, serveRedirect([301, 302, 307][hop % 3] ?? 302, next));
      next = hop % 2 === 0 ? `/c/${id}` : `https://cdn.${publicZone}/c/${id}`;
    }
    return next;
  };
  return [
    ...plain,
    ...[301, 302, 303, 307, 308].map((status) =>
      redirecting(`one redirect, ${status}`, status, `https://cdn.${publicZone}/c/${end}`),
    ),
    good('a long query', at(www, `?signature=${'a'.repeat(4000)}`)),
    redirecting('a relative redirect', 302, `/c/${end}`),
    redirecting('a redirect relative to the path', 302, end),
    redirecting('a redirect without scheme', 302, `//cdn.${publicZone}/c/${end}`),
    redirecting('two redirects', 302, hops(1)),
    redirecting('three redirects', 301, hops(2)),
    redirecting('from https to https with its port', 302, `https://${www}:443/c/${end}`),
    redirecting('a redirect to an address', 302, `https://${ipv4}/c/${end}`),
  ];
}
