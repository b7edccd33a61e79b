import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isTooSlow, newPace, type Pace, type PaceLimits } from './pace.ts';

const lookMilliseconds = 1_000;

/** For callers that take a response: the kernel reports progress in big steps, so a slow line may seem silent. */
export const readerLimits: PaceLimits = { silenceSeconds: 30, bytesPerSecond: 16_000, windowSeconds: 60 };
/** For callers that send a body. Their bytes are seen as soon as they arrive. */
export const senderLimits: PaceLimits = { silenceSeconds: 10, bytesPerSecond: 16_000, windowSeconds: 30 };

interface Connection {
  reader: Pace;
  sender: Pace;
  /** The latest request: the one whose body may still be on its way. */
  latest: { request: IncomingMessage; response: ServerResponse } | null;
}

/**
 * Closes connections whose clients take a response or send a body too slowly: each holds memory, and a download holds a
 * connection to the store. Only time in which the server waits for the client counts. One timer serves all connections.
 */
export function closeSlowConnections(
  app: FastifyInstance,
  onConnectionClosed: (reason: 'slow_reader' | 'slow_sender') => void,
): void {
  const { server } = app;
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { reader: newPace(), sender: newPace(), latest: null });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection) connection.latest = { request, response };
  });

  const timer = setInterval(() => {
    for (const [socket, { reader, sender, latest }] of connections) {
      if (isTooSlow(reader, readerLimits, socket.writableLength > 0, takenBytes(socket))) {
        connections.delete(socket);
        onConnectionClosed('slow_reader');
        socket.destroy();
      } else if (isTooSlow(sender, senderLimits, latest !== null && isReceiving(latest.request), socket.bytesRead)) {
        connections.delete(socket);
        onConnectionClosed('slow_sender');
        if (latest?.response.headersSent) socket.destroy();
        // As Node does for a request that takes too long as a whole.
        else
          server.emit(
            'clientError',
            Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
            socket,
          );
      }
    }
  }, lookMilliseconds);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Returns whether the server waits for a body. It does not if the route has not begun to read the body yet. */
function isReceiving(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed && request.readableFlowing === true;
}

/** Returns how many bytes the kernel has taken for the client. Node's own time-outs look at the same queue of the handle. */
function takenBytes(socket: Socket): number {
  const { _handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - (_handle?.writeQueueSize ?? 0);
}
