import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/id.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { commonHeaders } from './common-headers.ts';
import { errorHeaders, presentError } from './present-error.ts';

/** How long a client gets to take the response. */
const lingerMilliseconds = 1_000;

interface ParserError {
  code?: string;
  /** The last packet received. */
  rawPacket?: unknown;
}

/** Sends our error body for input that Node's parser rejects before there is a request. */
export function clientErrorResponse(clock: Clock) {
  return (failure: Error & ParserError, socket: Socket): void => {
    // Browsers and proxies open connections in advance: one that sent nothing in time expects no response.
    const isUnused = failure.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (failure.code === 'ECONNRESET' || isUnused || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = new AppError(codeOf(failure));
    const context = { requestId: newId('req', clock.now()), isRepeatable: false };
    const body = JSON.stringify(presentError(error, context));
    const headers = {
      ...commonHeaders(context.requestId),
      ...errorHeaders(error, context),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    // The client may keep its side open. Closing at once could reset the connection before the response arrives.
    setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  };
}

function codeOf({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed_request';
  // The parser has one limit for both. If the URL arrived in an earlier packet, the headers are the best guess.
  const isUrl = Buffer.isBuffer(rawPacket) && /^[A-Z]+ \S{8000}/.test(rawPacket.toString('latin1', 0, 9000));
  return isUrl ? 'uri_too_long' : 'headers_too_large';
}
