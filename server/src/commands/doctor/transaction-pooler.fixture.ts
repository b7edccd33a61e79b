import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../outbound/loopback-server.fixture.ts';

interface Session {
  socket: Socket;
  /** What Postgres sent when the session began. */
  welcome: Buffer;
  /** Receives what Postgres sends; called once more with null when the session is idle outside a transaction. */
  onData: (bytes: Buffer | null) => void;
}

/** Starts a pooler that gives sessions for one transaction at a time, as PgBouncer does, without passwords or TLS. */
export async function startTransactionPooler(databaseUrl: string): Promise<AsyncDisposable & { url: string }> {
  const url = new URL(databaseUrl);
  const idle: Session[] = [];
  const all: Socket[] = [];

  const openSession = (startup: Buffer): Promise<Session> =>
    new Promise((resolve) => {
      const socket = connect(Number(url.port), url.hostname);
      all.push(socket);
      socket.on('error', () => undefined);
      const session: Session = { socket, welcome: Buffer.alloc(0), onData: () => undefined };
      session.onData = (bytes) => {
        if (bytes) session.welcome = Buffer.concat([session.welcome, bytes]);
        else resolve(session);
      };
      forEachMessage(socket, (message) => {
        session.onData(message);
        if (message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', 5, 6) === 'I') session.onData(null);
      });
      socket.write(startup);
    });

  const server = createServer((client) => {
    let startup: Buffer | null = null;
    let current: Promise<Session> | null = null;
    const take = (bytes: Buffer): Promise<Session> => {
      const free = idle.pop();
      return free ? Promise.resolve(free) : openSession(bytes);
    };
    client.on('data', (bytes: Buffer) => {
      if (startup === null) {
        startup = bytes;
        void take(bytes).then((session) => {
          client.write(session.welcome);
          idle.push(session);
        });
        return;
      }
      if (bytes.toString('latin1', 0, 1) === 'X') return;
      current ??= take(startup).then((session) => {
        session.onData = (message) => {
          if (message) client.write(message);
          else {
            current = null;
            idle.push(session);
          }
        };
        return session;
      });
      void current.then(({ socket }) => socket.write(bytes));
    });
  });
  const loopback = await listen(server);
  url.hostname = '127.0.0.1';
  const pooled = new URL(url.href);
  pooled.port = String(loopback.port);
  return {
    url: pooled.href,
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      await loopback[Symbol.asyncDispose]();
    },
  };
}

/** Calls back with every whole message: a letter, a length and a body. */
function forEachMessage(socket: Socket, onMessage: (message: Buffer) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 5 && received.length > received.readInt32BE(1)) {
      const end = 1 + received.readInt32BE(1);
      onMessage(received.subarray(0, end));
      received = received.subarray(end);
    }
  });
}
