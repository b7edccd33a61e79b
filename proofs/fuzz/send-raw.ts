import { connect } from 'node:net';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';

export interface RawExchange {
  /** Everything that came back until the server closed the connection. */
  received: string;
  /** Whether the server neither responded nor closed the connection. */
  hangs: boolean;
}

/** The last request of a connection: the server responds to whatever it takes the bytes before it for, and then closes. */
const lastRequest = 'GET /healthz HTTP/1.1\r\nHost: kinora\r\nConnection: close\r\n\r\n';

/** Sends the bytes as they are. A last request asks the server to close the connection, which it would keep open. */
export function sendRaw(port: number, bytes: Buffer): Promise<RawExchange> {
  return new Promise((resolve) => {
    let received = '';
    let hangs = false;
    let hasAskedForEnd = false;
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1');
    socket.setTimeout(hangLimitMilliseconds, () => {
      hangs = true;
      socket.destroy();
    });
    socket.on('data', (text: string) => {
      received += text;
      if (hasAskedForEnd || !isAnswered(received)) return;
      hasAskedForEnd = true;
      socket.write(lastRequest);
    });
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => resolve({ received, hangs }));
    socket.write(bytes);
  });
}

/** Whether there is the head of a response after which the server keeps the connection. */
function isAnswered(received: string): boolean {
  const head = /HTTP\/1\.[01] [2-5]\d\d[^]*?\r\n\r\n/.exec(received)?.[0];
  return head !== undefined && !/^connection: close\r$/im.test(head);
}

/** Returns the statuses of all responses in a stream of bytes. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
}
