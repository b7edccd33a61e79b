import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Limits the open connections. A new one takes the place of one without a request: the oldest that never sent a whole
 * head, else the one that was idle longest. Node would refuse the new one, so that idle connections of one client keep
 * others out.
 */
export function boundConnections(
  app: FastifyInstance,
  maximum: number,
  onConnectionClosed: (reason: 'displaced' | 'refused') => void,
): void {
  /** Connections that have sent no whole request head, oldest first. */
  const unused = new Set<Socket>();
  /** Connections between two requests, longest idle first. */
  const idle = new Set<Socket>();
  const responsesInProgress = new Map<Socket, number>();

  app.server.on('connection', (socket: Socket) => {
    if (responsesInProgress.size >= maximum) {
      const displaced = first(unused) ?? first(idle);
      onConnectionClosed(displaced ? 'displaced' : 'refused');
      forget(displaced ?? socket);
      (displaced ?? socket).destroy();
      if (!displaced) return;
    }
    responsesInProgress.set(socket, 0);
    unused.add(socket);
    socket.once('close', () => forget(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const before = responsesInProgress.get(socket);
    if (before === undefined) return;
    responsesInProgress.set(socket, before + 1);
    unused.delete(socket);
    idle.delete(socket);
    response.once('close', () => {
      const left = (responsesInProgress.get(socket) ?? 0) - 1;
      if (left < 0) return; // the connection has ended
      responsesInProgress.set(socket, left);
      if (left === 0) idle.add(socket);
    });
  });

  function forget(socket: Socket): void {
    responsesInProgress.delete(socket);
    unused.delete(socket);
    idle.delete(socket);
  }
}

function first<T>(set: ReadonlySet<T>): T | null {
  for (const member of set) return member;
  return null;
}
