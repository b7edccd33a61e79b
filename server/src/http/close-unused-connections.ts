import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A client that has just connected gets this long to send its request before its connection counts as unused. */
const graceMilliseconds = 250;

/**
 * Closes connections without a request while the server closes. Node waits for those that never sent one and those
 * whose last response ends later, for longer than a shutdown may take.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const responsesInProgress = new Map<Socket, number>();
  const count = (socket: Socket, change: number): void => {
    const before = responsesInProgress.get(socket);
    if (before !== undefined) responsesInProgress.set(socket, before + change);
  };
  app.server.on('connection', (socket: Socket) => {
    responsesInProgress.set(socket, 0);
    socket.once('close', () => responsesInProgress.delete(socket));
  });
  app.server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  app.addHook('preClose', async () => {
    const timer = setInterval(() => {
      for (const [socket, responses] of responsesInProgress) if (responses === 0) socket.destroySoon();
    }, graceMilliseconds);
    app.server.once('close', () => clearInterval(timer));
  });
}
