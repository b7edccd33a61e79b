import { type AddressInfo, createServer } from 'node:net';

export interface Canary {
  url: string;
  /** The addresses that connected; there should be none. */
  connections: string[];
  close(): Promise<void>;
}

/** Starts a server at an internal address that only a hostile engine names. */
export async function startCanary(): Promise<Canary> {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(`${socket.remoteAddress ?? '?'}:${socket.remotePort ?? 0}`);
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/canary.mp4`,
    connections,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
