import type { IncomingMessage } from 'node:http';

const lookMilliseconds = 1_000;

/** Destroys a response that delivers nothing while its reader waits; one that pauses leaves bytes in the buffer. */
export function destroyIfSilent(response: IncomingMessage, milliseconds: number): void {
  const { socket } = response;
  let seen = { bytes: -1, at: 0 };
  const timer = setInterval(() => {
    const now = performance.now();
    const isWaiting = response.readableLength === 0 && !response.complete;
    if (!isWaiting || socket.bytesRead !== seen.bytes) seen = { bytes: socket.bytesRead, at: now };
    else if (now - seen.at >= milliseconds) response.destroy(new Error('the store fell silent'));
  }, lookMilliseconds);
  timer.unref();
  response.once('close', () => clearInterval(timer));
}
