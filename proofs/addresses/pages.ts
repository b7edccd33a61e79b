import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { imageBytes } from '@kinora/stack/harness/sample-image';
import type { Page } from './internet.ts';

/** A PNG that every rule of an image takes. */
export const pngBytes = imageBytes(7);

/** What a body is under each content encoding; of brotli the fastest kind, the best takes seconds. */
export const encoders = {
  gzip: (body: Uint8Array) => gzipSync(body),
  deflate: (body: Uint8Array) => deflateSync(body),
  rawDeflate: (body: Uint8Array) => deflateRawSync(body),
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
} as const;

/** The image, as any server sends it. */
export const servePicture: Page = (_request, response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': pngBytes.length }).end(pngBytes);
};

/** Exactly these bytes after a request, header and all; what comes after them is `then`'s. */
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

/** A redirect whose Location is sent as it is, even if no server would. */
export function serveRedirect(status: number, location: string): Page {
  return serveBytes(
    Buffer.from(
      `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    ),
  );
}

/** Bytes for ever, as fast as they are taken; others are served in between. */
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

/** Bytes for ever, one every tenth of a second. */
export function serveDrops(head: string, drop: string): Page {
  return (request) => {
    const { socket } = request;
    socket.write(head);
    const timer = setInterval(() => (socket.writable ? socket.write(drop) : clearInterval(timer)), 100);
    socket.on('close', () => clearInterval(timer));
  };
}
