import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** The ten modes in which a receiver fails. Each gets the connection after the request has been read. */
export const failureModes: Readonly<Record<string, (socket: Socket) => void>> = {
  'internal error': (socket) => respond(socket, '500 Internal Server Error', [], 'something broke'),
  'not found': (socket) => respond(socket, '404 Not Found', []),
  redirect: (socket) => respond(socket, '302 Found', ['location: /redirected']),
  'too many requests': (socket) => respond(socket, '429 Too Many Requests', ['retry-after: 1']),
  // The connection stays open, so the sender has to time out.
  silence: () => undefined,
  'slow headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  reset: (socket) => void socket.resetAndDestroy(),
  'cut short': (socket) => void socket.end('HTTP/1.1 200 O'),
  'not HTTP': (socket) => void socket.end('220 mail.example ESMTP ready\r\n'),
  'endless headers': (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(64 * 1024)}\r\n\r\n`),
};

const failureShare = 0.3;
const names = Object.keys(failureModes);

/** Returns the failure mode of the n-th try of the webhook with this name, or null; always the same for the same name. */
export function failureOf(name: string, number: number, mostFailures: number): string | null {
  if (number > mostFailures) return null;
  const hash = createHash('sha256').update(`${name} ${number}`).digest();
  if (hash.readUInt32BE(0) / 2 ** 32 >= failureShare) return null;
  return names[hash.readUInt32BE(4) % names.length] ?? null;
}

/** Sends a complete response and closes the connection. */
export function respond(socket: Socket, status: string, headers: readonly string[], body = ''): void {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${body.length}`, 'connection: close', '', ''];
  socket.end(head.join('\r\n') + body);
}

/** So slow that even the longest try, 20 s, ends before the headers do. */
const dripMilliseconds = 1_000;

function drip(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || sent === text.length) clearInterval(timer);
    else socket.write(text.charAt(sent));
    sent += 1;
  }, dripMilliseconds);
}
