import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { type Bombs, type Case, type Column, type Ending, pageUrl, type World } from './address-case.ts';
import type { Page } from './internet.ts';
import { encoders, pngBytes, serveBytes, serveDrops, serveEndlessly } from './pages.ts';

const bombBytes = 160 * 2 ** 20;
const megabyte = Buffer.alloc(2 ** 20);
const head = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;
const closing = 'Connection: close';
/** Kinora cuts the body off at the size limit or, on a slow machine, at the time limit. */
const tooMuch: readonly Ending[] = ['size', 'unreachable'];

/** Compresses zeros into bodies that decompress to far more than the size limit. This takes about a second. */
export async function makeBombs(): Promise<Bombs> {
  const zeros = () => Readable.from(Array.from({ length: bombBytes / megabyte.length }, () => megabyte));
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const [gzip, deflate, br] = await Promise.all([
    buffer(zeros().pipe(createGzip({ level: 1 }))),
    buffer(zeros().pipe(createDeflate({ level: 1 }))),
    buffer(zeros().pipe(createBrotliCompress(quick))),
  ]);
  return { gzip, deflate, br };
}

/** Cases of bodies that are slow, endless, compressed bombs, or not what their header says. */
export function bodyCases(column: Column, { internet, bombs, nextNumber }: World): Case[] {
  const sending = (what: string, page: Page, image: readonly Ending[], result: readonly Ending[] = image): Case => {
    const id = `b${nextNumber()}`;
    internet.serve(id, page);
    return {
      column,
      position: 'dynamic',
      what,
      url: pageUrl('http', id),
      // Kinora reads only the status and the start of a callback's response, so it may accept a broken body.
      allowed:
        column === 'image_url'
          ? image
          : column === 'result_url'
            ? result
            : [...result, 'fetched', 'size', 'unreachable'],
      wasCarriedOut: () => internet.served(id) > 0,
    };
  };
  const waiting = (what: string, page: Page): Case => ({ ...sending(what, page, ['unreachable']), isSlow: true });
  const encoded = (coding: string, body: Uint8Array): Page =>
    serveBytes(
      Buffer.concat([
        Buffer.from(head(`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`, closing)),
        body,
      ]),
    );
  const whole = (length: string, body: Uint8Array = pngBytes): Page =>
    serveBytes(Buffer.concat([Buffer.from(head(length, closing)), body]));
  // A gzip stream of stored blocks without a byte in them: it goes on and never yields anything.
  const emptyBlocks = Buffer.from('000000ffff'.repeat(10_000), 'hex');
  const gzipStart = Buffer.from('1f8b0800000000000003', 'hex').toString('latin1');

  return [
    waiting('a body sent byte by byte', serveDrops(head('Content-Length: 90000'), 'x')),
    waiting('chunks sent one by one', serveDrops(head('Transfer-Encoding: chunked'), '1\r\nx\r\n')),
    waiting('a header sent byte by byte', serveDrops('HTTP/1.1 200 OK\r\nX-Slow: ', 'x')),
    waiting(
      'endless interim responses',
      serveDrops('', 'HTTP/1.1 103 Early Hints\r\nLink: <http://127.0.0.1/>\r\n\r\n'),
    ),
    waiting(
      'silence after the header',
      serveBytes(head('Content-Length: 5'), () => undefined),
    ),
    waiting(
      'silence after the request',
      serveBytes('', () => undefined),
    ),
    sending('a body without end', serveEndlessly(head(closing), megabyte), tooMuch),
    sending(
      'chunks without end',
      serveEndlessly(
        head('Transfer-Encoding: chunked'),
        Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]),
      ),
      tooMuch,
    ),
    sending(
      'headers without end',
      serveEndlessly('HTTP/1.1 200 OK\r\n', Buffer.from(`X-More: ${'x'.repeat(1000)}\r\n`)),
      ['unreachable'],
    ),
    sending('a header field without end', serveEndlessly('HTTP/1.1 200 OK\r\nX-Long: ', Buffer.alloc(65_536, 'x')), [
      'unreachable',
    ]),
    sending(
      'empty blocks of gzip without end',
      serveEndlessly(head('Content-Encoding: gzip', closing) + gzipStart, emptyBlocks),
      ['size', 'unreachable'],
    ),

    sending('fewer bytes than announced', whole(`Content-Length: ${pngBytes.length + 10}`), ['unreachable']),
    sending(
      'more bytes than announced',
      whole('Content-Length: 100'),
      ['content', 'unreachable'],
      ['fetched', 'unreachable'],
    ),
    sending('far more bytes announced than allowed', whole('Content-Length: 99999999999'), tooMuch),
    sending('a length too large for a number', whole('Content-Length: 99999999999999999999999'), tooMuch),
    sending('a negative length', whole('Content-Length: -5'), ['unreachable']),
    sending('a length in words', whole('Content-Length: many'), ['unreachable']),
    sending('two lengths', whole(`Content-Length: 5\r\nContent-Length: ${pngBytes.length}`), ['unreachable']),
    sending('a length and chunks', whole('Content-Length: 5\r\nTransfer-Encoding: chunked'), ['unreachable']),
    sending('a malformed chunk', whole('Transfer-Encoding: chunked', Buffer.from('zz\r\nabc')), ['unreachable']),
    sending('a truncated chunk', whole('Transfer-Encoding: chunked', Buffer.from('ffff\r\nabc')), ['unreachable']),
    sending('a protocol that is not HTTP', serveBytes('SSH-2.0-OpenSSH_9.9\r\n'), ['unreachable']),
    sending('a body without a header', serveBytes(pngBytes), ['unreachable']),
    sending(
      'another protocol',
      serveBytes('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'),
      ['unreachable'],
    ),

    sending('a bomb of gzip', encoded('gzip', bombs.gzip), tooMuch),
    sending('a bomb of deflate', encoded('deflate', bombs.deflate), tooMuch),
    sending('a bomb of brotli', encoded('br', bombs.br), tooMuch),
    sending('gzip in gzip', encoded('gzip, gzip', encoders.gzip(bombs.gzip)), ['unreachable']),
    sending('many encodings', encoded(Array(50).fill('gzip').join(', '), pngBytes), ['unreachable']),
    sending('truncated gzip', encoded('gzip', encoders.gzip(pngBytes).subarray(0, 500)), ['unreachable']),
    sending('a body labelled gzip that is not gzip', encoded('gzip', pngBytes), ['unreachable']),
    sending('an unknown encoding', encoded('exi', pngBytes), ['unreachable']),
  ];
}
