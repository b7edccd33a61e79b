import { createServer, type Socket } from 'node:net';
import { listen } from '../../outbound/loopback-server.fixture.ts';
import { connectDatabase, type Database } from '../database.ts';

/** A server that speaks enough of Postgres' protocol to return no rows for every statement. */
export interface EmptyPostgres extends AsyncDisposable {
  url: string;
  /** Connections that were opened to it so far, closed ones included. */
  connections(): number;
  /** Opens a pool, which is closed together with the server. */
  connect(options?: { poolSize?: number; queryTimeoutMilliseconds?: number }): Database;
  /** Connections that exist now stay open and get no more responses, as if their host had vanished. New ones are served. */
  silence(): void;
}

export async function startEmptyPostgres(): Promise<EmptyPostgres> {
  const connections = new Set<{ isSilent: boolean }>();
  const server = createServer((socket) => {
    const connection = { isSilent: false };
    connections.add(connection);
    serve(socket, connection);
  });
  const loopback = await listen(server);
  const url = `postgres://kinora@127.0.0.1:${loopback.port}/kinora`;
  const opened: Database[] = [];
  return {
    url,
    connections: () => loopback.connections(),
    connect({ poolSize = 2, queryTimeoutMilliseconds } = {}) {
      const db = connectDatabase({
        // pg prefers the settings in the address to those in the code.
        url: queryTimeoutMilliseconds === undefined ? url : `${url}?query_timeout=${queryTimeoutMilliseconds}`,
        poolSize,
        applicationName: 'kinora-test',
        fileRetentionDays: 7,
        onIdleError: () => undefined,
      });
      opened.push(db);
      return db;
    },
    silence() {
      for (const connection of connections) connection.isSilent = true;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.close()));
      await loopback[Symbol.asyncDispose]();
    },
  };
}

function serve(socket: Socket, connection: { isSilent: boolean }): void {
  let isStarted = false;
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    if (connection.isSilent) return;
    received = Buffer.concat([received, chunk]);
    for (;;) {
      // Only the first message of a connection has no letter in front of its length.
      const lengthAt = isStarted ? 1 : 0;
      if (received.length < lengthAt + 4) return;
      const end = lengthAt + received.readInt32BE(lengthAt);
      if (received.length < end) return;
      socket.write(isStarted ? responseTo(received.toString('latin1', 0, 1)) : welcome);
      isStarted = true;
      received = received.subarray(end);
    }
  });
}

const ready = message('Z', 'I');
const done = message('C', 'SELECT 0\0');
// Authentication succeeded, the key for cancelling, ready for queries.
const welcome = Buffer.concat([message('R', '\0\0\0\0'), message('K', '\0'.repeat(8)), ready]);

/** Responses by the letter of the client's message: query, parse, bind, describe, execute, sync. */
const responses: Readonly<Record<string, Buffer>> = {
  Q: Buffer.concat([done, ready]),
  P: message('1'),
  B: message('2'),
  D: message('n'),
  E: done,
  S: ready,
};

function responseTo(letter: string): Buffer {
  return responses[letter] ?? Buffer.alloc(0);
}

function message(letter: string, body = ''): Buffer {
  const bytes = Buffer.from(`${letter}\0\0\0\0${body}`, 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}
