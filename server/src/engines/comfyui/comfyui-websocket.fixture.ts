import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server's end of one WebSocket: enough of RFC 6455 to send what a recording holds. */
export interface ServerSocket {
  clientId: string;
  sendText(text: string): void;
  sendBinary(bytes: Buffer): void;
  /** Closes without a handshake, as when the process dies. */
  destroy(): void;
}

/** Accepts the upgrade of a request. */
export function acceptWebSocket(request: IncomingMessage, stream: Duplex, onClose: () => void): ServerSocket {
  const key = createHash('sha1')
    .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
  stream.on('error', () => undefined).on('close', onClose);
  // The client sends only its close, which is echoed.
  stream.on('data', (bytes: Buffer) => {
    if (((bytes[0] ?? 0) & 0x0f) === 0x08) stream.end(frame(0x08, Buffer.alloc(0)));
  });
  return {
    clientId: new URL(request.url ?? '/', 'http://double').searchParams.get('clientId') ?? '',
    sendText: (text) => void stream.write(frame(0x01, Buffer.from(text))),
    sendBinary: (bytes) => void stream.write(frame(0x02, bytes)),
    destroy: () => void stream.destroy(),
  };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (head.length === 2) head[1] = payload.length;
  if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  }
  if (head.length === 10) {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}
