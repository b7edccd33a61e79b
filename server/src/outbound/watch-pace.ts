import type { Socket } from 'node:net';

/** The slowest that a body may arrive: at least so many bytes in each interval. */
export interface Pace {
  leastBytes: number;
  everyMilliseconds: number;
}

/** Calls `onTooSlow` if a connection falls behind the pace. Returns the function that stops watching. */
export function watchPace(socket: Socket, { leastBytes, everyMilliseconds }: Pace, onTooSlow: () => void): () => void {
  let readBefore = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead - readBefore < leastBytes) onTooSlow();
    readBefore = socket.bytesRead;
  }, everyMilliseconds);
  return () => clearInterval(timer);
}
