import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type EngineJob, stateOf } from './engine-job.ts';

const everyMilliseconds = 150;
const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Accepts a WebSocket by hand, because no library would send what hostile engines send. */
export function acceptSocket(request: IncomingMessage, socket: Socket): void {
  const key = `${request.headers['sec-websocket-key'] ?? ''}${magic}`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket.write(frame(JSON.stringify({ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } } } })));
}

/** Writes a WebSocket frame; opcode 1 is text, 2 binary, 8 close, 9 ping. */
export function frame(content: string | Buffer, opcode = 1, isLast = true, announcedBytes?: bigint): Buffer {
  const bytes = Buffer.from(content);
  const first = (isLast ? 0x80 : 0) | opcode;
  const size = announcedBytes ?? BigInt(bytes.length);
  if (size < 126n) return Buffer.concat([Buffer.from([first, Number(size)]), bytes]);
  const header = Buffer.alloc(10);
  header[0] = first;
  header[1] = 127;
  header.writeBigUInt64BE(size, 2);
  return Buffer.concat([header, bytes]);
}

export function message(type: string, promptId: string, data: Record<string, unknown>): Buffer {
  return frame(JSON.stringify({ type, data: { prompt_id: promptId, ...data } }));
}

/** Sends honest progress of a job over its engine's sockets until the job has ended, and `lies` besides. */
export function sendFrames(job: EngineJob, sockets: ReadonlySet<Socket>, lies: () => Buffer[]): void {
  const sendToAll = (bytes: Buffer): void => {
    for (const socket of sockets) if (socket.writable) socket.write(bytes);
  };
  job.clock.every(everyMilliseconds, () => {
    const now = stateOf(job);
    for (const lie of lies()) sendToAll(lie);
    if (now.state !== 'running') return false;
    sendToAll(message('progress_state', job.id, { nodes: { '2': { value: now.progress, max: 100 } } }));
    return true;
  });
}
