import { AppError } from '../../errors.ts';

/** One field or file of a form. Its bytes are a view into the body: nothing is copied. */
export interface FormPart {
  name: string;
  /** Null for a field; a file may have an empty one. */
  filename: string | null;
  bytes: Buffer;
}

const maximumParts = 100;
const maximumHeaderBytes = 8 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const headerEnd = Buffer.from('\r\n\r\n');

/** Splits a whole multipart/form-data body into its parts (RFC 7578), reading every byte only a few times. */
export function parseMultipart(body: Buffer, contentType: string): FormPart[] {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, 'latin1');
  // The first delimiter has no line break before it if the body starts with it.
  const opening = delimiter.subarray(2);
  const isAtStart = body.subarray(0, opening.length).equals(opening);
  const found = isAtStart ? 0 : body.indexOf(delimiter);
  if (found === -1) throw malformed('the first boundary is missing');
  let at = isAtStart ? opening.length : found + delimiter.length;

  const parts: FormPart[] = [];
  for (;;) {
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    if (parts.length === maximumParts) throw tooLarge(`The body has more than ${maximumParts} parts.`);
    const start = afterLineBreak(body, at);
    const headersEnd = body.indexOf(headerEnd, start);
    if (headersEnd === -1) throw malformed('the headers of a part do not end');
    if (headersEnd - start > maximumHeaderBytes)
      throw tooLarge(`The headers of a part must be at most ${maximumHeaderBytes} bytes.`);
    const contentStart = headersEnd + headerEnd.length;
    // An empty part shares its line break with the end of its headers.
    const contentEnd = body.indexOf(delimiter, headersEnd + 2);
    if (contentEnd === -1) throw malformed('the last boundary is missing');
    const bytes = body.subarray(contentStart, Math.max(contentStart, contentEnd));
    parts.push({ ...readHeaders(body.subarray(start, headersEnd)), bytes });
    at = contentEnd + delimiter.length;
  }
}

/** Returns the text of a field, or null if it is not UTF-8. */
export function textOfPart({ bytes }: FormPart): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70})(?=[\s;]|$))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw malformed('Content-Type names no boundary of 1 to 70 characters');
  return boundary;
}

function afterLineBreak(body: Buffer, delimiterEnd: number): number {
  let at = delimiterEnd;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  if (body.toString('latin1', at, at + 2) !== '\r\n') throw malformed('a boundary is not followed by a line break');
  return at + 2;
}

function readHeaders(bytes: Buffer): Pick<FormPart, 'name' | 'filename'> {
  let parameters: Map<string, string> | null = null;
  // The flag s is needed as a name may contain U+2028, which a dot would treat as the end of a line.
  for (const line of decodeHeaders(bytes).split('\r\n')) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined) throw malformed('a part has an invalid header');
    if (name.toLowerCase() === 'content-disposition') parameters = readDisposition(value.trim());
    if (name.toLowerCase() === 'content-transfer-encoding' && !/^(binary|7bit|8bit)$/i.test(value.trim()))
      throw malformed('a part is encoded; send its bytes as they are');
  }
  const name = parameters?.get('name');
  if (name === undefined) throw malformed('a part has no name');
  return { name: unescaped(name), filename: filenameOf(parameters ?? new Map()) };
}

function decodeHeaders(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw malformed('the headers of a part are not UTF-8', cause);
  }
}

function readDisposition(value: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let rest = /^form-data(.*)$/is.exec(value)?.[1];
  while (rest !== undefined && rest !== '') {
    const [all, name = '', quoted, plain = ''] =
      /^\s*;\s*([\w!#$&+.^`|~*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))\s*/s.exec(rest) ?? [];
    if (all === undefined) throw malformed('a part has an invalid Content-Disposition');
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain);
    rest = rest.slice(all.length);
  }
  if (rest === undefined) throw malformed('a part is not form-data');
  return parameters;
}

function filenameOf(parameters: Map<string, string>): string | null {
  // Some clients encode names beyond ASCII according to RFC 5987.
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '') ?? [];
  const plain = parameters.get('filename');
  if (encoded === undefined) return plain === undefined ? null : unescaped(plain);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return plain ?? '';
  }
}

/** Decodes what browsers escape inside quotes: the quote itself and line breaks. */
function unescaped(name: string): string {
  return name.replaceAll(/%(22|0[AD])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function malformed(what: string, cause?: unknown): AppError {
  return new AppError('malformed_request', { message: `The body is not valid multipart/form-data: ${what}.`, cause });
}

function tooLarge(message: string): AppError {
  return new AppError('payload_too_large', { message });
}
