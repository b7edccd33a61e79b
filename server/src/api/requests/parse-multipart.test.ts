import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../domain/cpu-time.fixture.ts';
import { AppError } from '../../errors.ts';
import { parseMultipart, textOfPart } from './parse-multipart.ts';

const contentType = 'multipart/form-data; boundary=xYz';

/** Returns a body with these parts, unescaped, and the boundary `xYz`. */
function bodyOf(...parts: { headers: string; content: string | Uint8Array }[]): Buffer {
  return Buffer.concat([
    ...parts.map(({ headers, content }) =>
      Buffer.concat([Buffer.from(`--xYz\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]),
    ),
    Buffer.from('--xYz--\r\n'),
  ]);
}
const field = (name: string, content: string | Uint8Array) => ({
  headers: `Content-Disposition: form-data; name="${name}"`,
  content,
});

/** Encodes entries with Node's own FormData, as fetch would send them. */
async function encode(entries: (readonly [string, string | File])[]): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  const response = new Response(form);
  return { body: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') ?? '' };
}

function refusal(body: Buffer, type = contentType): string {
  try {
    parseMultipart(body, type);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('a multipart body', () => {
  it('yields the fields and files that a client sent, whatever they contain', async () => {
    // Clients escape a backslash or a percent sign inside quotes in different ways.
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/[\r\n\\%]/.test(text));
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => ({ text })),
      fc.record({ bytes: fc.uint8Array({ maxLength: 300 }), filename: name }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), async (entries) => {
        const { body, type } = await encode(
          entries.map(([key, one]) => [
            key,
            'text' in one ? one.text : new File([Uint8Array.from(one.bytes)], one.filename),
          ]),
        );
        const parts = parseMultipart(body, type);
        expect(parts.map((part) => [part.name, part.filename])).toEqual(
          entries.map(([key, one]) => [key, 'text' in one ? null : one.filename]),
        );
        expect(parts.map((part) => part.bytes.toString('hex'))).toEqual(
          entries.map(([, one]) =>
            // Encoders normalise the line breaks of fields.
            Buffer.from('text' in one ? one.text.replaceAll(/\r\n|\r|\n/g, '\r\n') : one.bytes).toString('hex'),
          ),
        );
      }),
    );
  });

  it('accepts names with Unicode line separators', async () => {
    const { body, type } = await encode([['a\u2028b', new File([], '\u2029')]]);
    expect(parseMultipart(body, type)).toMatchObject([{ name: 'a\u2028b', filename: '\u2029' }]);
  });

  it('accepts the variants that different clients write', () => {
    const names = parseMultipart(
      bodyOf(
        { headers: 'content-disposition:form-data;name=plain', content: '' },
        { headers: 'Content-Disposition: form-data; filename="a \\"b\\".png"; name="x"', content: '1' },
        { headers: `Content-Disposition: form-data; name="y"; filename*=utf-8''%E2%82%AC.png`, content: '2' },
        { headers: 'Content-Disposition: form-data; name="z"; filename="C:\\dir\\f.png"', content: '3' },
        { headers: 'Content-Length: 1\r\nContent-Disposition: form-data; name="w"\r\nX-Other: q', content: '4' },
      ),
      'multipart/form-data; charset=utf-8; boundary="xYz"',
    );
    expect(names.map(({ name, filename, bytes }) => [name, filename, bytes.toString()])).toEqual([
      ['plain', null, ''],
      ['x', 'a "b".png', '1'],
      ['y', '€.png', '2'],
      ['z', 'C:\\dir\\f.png', '3'],
      ['w', null, '4'],
    ]);
    const framed = Buffer.concat([Buffer.from('preamble\r\n'), bodyOf(field('a', 'b')), Buffer.from('epilogue')]);
    expect(parseMultipart(framed, contentType)).toHaveLength(1);
    expect(parseMultipart(bodyOf(), contentType)).toEqual([]);
  });

  it('has no text in a part that is not UTF-8', () => {
    const [part] = parseMultipart(bodyOf(field('a', Uint8Array.from([0xff, 0xfe]))), contentType);
    expect(part && textOfPart(part)).toBeNull();
  });

  it.each([
    ['no boundary', bodyOf(), 'multipart/form-data'],
    ['an empty boundary', bodyOf(), 'multipart/form-data; boundary='],
    ['a boundary that is too long', bodyOf(), `multipart/form-data; boundary=${'a'.repeat(71)}`],
    ['another boundary', bodyOf(field('a', 'b')), 'multipart/form-data; boundary=other'],
    ['no content', Buffer.alloc(0), contentType],
    ['no end', bodyOf(field('a', 'b')).subarray(0, -9), contentType],
    ['cut off headers', Buffer.from('--xYz\r\nContent-Disposition: form-data; name="a"'), contentType],
    ['bare line feeds', Buffer.from(bodyOf(field('a', 'b')).toString().replaceAll('\r\n', '\n')), contentType],
    ['no headers', Buffer.from('--xYz\r\n\r\nb\r\n--xYz--'), contentType],
    ['a header without a name', bodyOf({ headers: ': x', content: '' }), contentType],
    ['a folded header', bodyOf({ headers: 'Content-Disposition: form-data;\r\n name="a"', content: '' }), contentType],
    ['a part without a name', bodyOf({ headers: 'Content-Disposition: form-data', content: '' }), contentType],
    ['an attachment', bodyOf({ headers: 'Content-Disposition: attachment; name="a"', content: '' }), contentType],
    ['an open quote', bodyOf({ headers: 'Content-Disposition: form-data; name="a', content: '' }), contentType],
    ['headers in Latin-1', bodyOf({ headers: '', content: '' }).fill(0xff, 7, 9), contentType],
    [
      'a part in base64',
      bodyOf({ ...field('a', 'YQ=='), headers: `${field('a', '').headers}\r\nContent-Transfer-Encoding: base64` }),
      contentType,
    ],
    ['words after a boundary', Buffer.from('--xYzzz\r\n\r\n--xYz--'), contentType],
  ])('is malformed with %s', (_, body, type) => expect(refusal(body, type)).toBe('malformed_request'));

  it('is too large with too many parts or too long headers', () => {
    expect(refusal(bodyOf(...Array.from({ length: 100 }, () => field('a', ''))))).toBe('accepted');
    expect(refusal(bodyOf(...Array.from({ length: 101 }, () => field('a', ''))))).toBe('payload_too_large');
    expect(refusal(bodyOf(field('a'.repeat(9000), '')))).toBe('payload_too_large');
  });

  it('is refused quickly however hostile it is', () => {
    const many = (text: string) => Buffer.from(`--xYz\r\n${text.repeat(20_000_000 / text.length)}`);
    const bodies = ['a', 'a: b\r\n', '--xYz\r\n', '\r\n--xY', '\r\n--xYz\r\n', '; x="y"', '\\"'].map(many);
    for (const body of bodies) {
      const started = cpuMilliseconds();
      expect(refusal(body)).toMatch(/malformed_request|payload_too_large/);
      expect(cpuMilliseconds() - started).toBeLessThan(1000);
    }
    const parameters = 'Content-Disposition: form-data; name="a"'.concat('; x="y'.repeat(1300));
    const started = cpuMilliseconds();
    expect(refusal(bodyOf(...Array.from({ length: 100 }, () => ({ headers: parameters, content: '' }))))).toBe(
      'malformed_request',
    );
    expect(cpuMilliseconds() - started).toBeLessThan(1000);
  });

  it('is either accepted or refused as malformed, whatever its bytes', () => {
    const whole = bodyOf(field('prompt', 'a cat'), {
      headers: 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png',
      content: 'bytes',
    });
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length), fc.uint8Array({ maxLength: 6 }), (from, to, put) => {
        const [start, end] = [Math.min(from, to), Math.max(from, to)];
        expect(refusal(Buffer.concat([whole.subarray(0, start), put, whole.subarray(end)]))).toMatch(
          /^(accepted|malformed_request)$/,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
