import { connect } from 'node:net';

/** How long to wait for a response. A request that never ends gets one only when the server times out, or none. */
const patienceMilliseconds = 1500;

/** Sends the bytes as they are, and returns what came back until the server closed the connection or was silent. */
export function sendRaw(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const finish = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.setTimeout(patienceMilliseconds, finish);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(bytes);
  });
}

/** Returns the statuses of the responses in a stream of bytes. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
}
