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
/** Cut off by its size or, where the machine is slow, by the clock. */
const tooMuch: readonly Ending[] = ['size', 'unreachable'];

/** Bodies of zeros that unfold to far more than anyone may send. They take a second to make. */
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

/** Bodies that are slow, endless, bombs, or not what their header says. */
export function bodyCases(column: Column, { internet, bombs, nextNumber }: World): Case[] {
  const sending = (what: string, page: Page, image: readonly Ending[], result: readonly Ending[] = image): Case => {
    const id = `b${nextNumber()}`;
    internet.serve(id, page);
    return {
      column,
      position: 'dynamic',
      what,
      url: pageUrl('http', id),
      // Of the answer to a callback only the status and a beginning count: broken or good, it may be taken.
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
  // Compresses and then says nothing more: a stored block of no bytes.
  const emptyBlocks = Buffer.from('000000ffff'.repeat(10_000), 'hex');
  const gzipStart = Buffer.from('1f8b0800000000000003', 'hex').toString('latin1');

  return [
    waiting('a body by drops', serveDrops(head('Content-Length: 90000'), 'x')),
    waiting('chunks by drops', serveDrops(head('Transfer-Encoding: chunked'), '1\r\nx\r\n')),
    waiting('a header by drops', serveDrops('HTTP/1.1 200 OK\r\nX-Slow: ', 'x')),
    waiting(
      'interim answers for ever',
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

    sending('fewer bytes than promised', whole(`Content-Length: ${pngBytes.length + 10}`), ['unreachable']),
    sending(
      'more bytes than promised',
      whole('Content-Length: 100'),
      ['content', 'unreachable'],
      ['fetched', 'unreachable'],
    ),
    sending('far more promised than allowed', whole('Content-Length: 99999999999'), tooMuch),
    sending('a length beyond numbers', whole('Content-Length: 99999999999999999999999'), tooMuch),
    sending('a negative length', whole('Content-Length: -5'), ['unreachable']),
    sending('a length in words', whole('Content-Length: many'), ['unreachable']),
    sending('two lengths', whole(`Content-Length: 5\r\nContent-Length: ${pngBytes.length}`), ['unreachable']),
    sending('a length and chunks', whole('Content-Length: 5\r\nTransfer-Encoding: chunked'), ['unreachable']),
    sending('a chunk that is no chunk', whole('Transfer-Encoding: chunked', Buffer.from('zz\r\nabc')), ['unreachable']),
    sending('a chunk that is cut', whole('Transfer-Encoding: chunked', Buffer.from('ffff\r\nabc')), ['unreachable']),
    sending('no HTTP', serveBytes('SSH-2.0-OpenSSH_9.9\r\n'), ['unreachable']),
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
    sending('gzip that is cut', encoded('gzip', encoders.gzip(pngBytes).subarray(0, 500)), ['unreachable']),
    sending('gzip that is none', encoded('gzip', pngBytes), ['unreachable']),
    sending('an unknown encoding', encoded('exi', pngBytes), ['unreachable']),
  ];
}
