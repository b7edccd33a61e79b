import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { imageBytes } from '@kinora/stack/harness/sample-image';
import type { Page } from './internet.ts';

/** A PNG that meets every rule for input images. */
export const pngBytes = imageBytes(7);

/** Encoders by content encoding. Brotli runs at its fastest setting, because its best takes seconds. */
export const encoders = {
  gzip: (body: Uint8Array) => gzipSync(body),
  deflate: (body: Uint8Array) => deflateSync(body),
  rawDeflate: (body: Uint8Array) => deflateRawSync(body),
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
} as const;

/** Serves the image as an ordinary server does. */
export const servePicture: Page = (_request, response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': pngBytes.length }).end(pngBytes);
};

/** Serves exactly these bytes, header included; `then` decides what follows them. */
export function serveBytes(
  bytes: string | Uint8Array,
  then: (write: (more: string | Uint8Array) => boolean, end: () => void) => void = (_write, end) => end(),
): Page {
  return (request) => {
    const { socket } = request;
    socket.write(bytes);
    then(
      (more) => socket.writable && socket.write(more),
      () => socket.end(),
    );
  };
}

/** Serves a redirect with exactly this Location, even if it is malformed. */
export function serveRedirect(status: number, location: string): Page {
  return serveBytes(
    Buffer.from(
      `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    ),
  );
}

/** Serves an endless body as fast as the client reads it, and yields to other connections between chunks. */
export function serveEndlessly(head: string, chunk: Uint8Array): Page {
  return (request) => {
    const { socket } = request;
    const pour = (): void => {
      if (socket.writable) socket.write(chunk, () => setImmediate(pour));
    };
    socket.write(head, 'latin1');
    pour();
  };
}

/** Serves an endless body slowly: one `drop` every 100 ms. */
export function serveDrops(head: string, drop: string): Page {
  return (request) => {
    const { socket } = request;
    socket.write(head);
    const timer = setInterval(() => (socket.writable ? socket.write(drop) : clearInterval(timer)), 100);
    socket.on('close', () => clearInterval(timer));
  };
}
