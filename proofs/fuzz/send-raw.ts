import { connect } from 'node:net';

/** How long an answer may take; a request that has no end is answered when the server loses patience, or not at all. */
const patienceMilliseconds = 1500;

/** Sends the bytes as they are and answers what came back until the other side closed or fell silent. */
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

/** The statuses of the answers in a stream of bytes. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
}
