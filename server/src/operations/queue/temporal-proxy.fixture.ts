import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TemporalProxy {
  address: string;
  /** Refuses new connections and cuts the open ones, as if Temporal were stopped. */
  refuse(): Promise<void>;
  /** Passes nothing on, as if the network had lost its packets. Connections from this time stay silent for good. */
  silence(): void;
  /** Serves new connections again. */
  restore(): Promise<void>;
  /** Resolves once Temporal has closed all connections that it can see. */
  closedByTemporal(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a TCP proxy in front of Temporal that can fail in the two ways in which a network does. */
export async function startTemporalProxy(temporalAddress: string): Promise<TemporalProxy> {
  const [host = '', port = ''] = temporalAddress.split(':');
  let isSilent = false;
  const clients = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const track = (sockets: Set<Socket>, socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server: Server = createServer((client) => {
    track(clients, client);
    if (isSilent) return;
    const upstream = connect(Number(port), host);
    track(upstreams, upstream);
    client.pipe(upstream).pipe(client);
  });
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const ownPort = (server.address() as AddressInfo).port; // a TCP server has a port
  const refuse = async (): Promise<void> => {
    const isClosed = once(server, 'close');
    server.close();
    for (const socket of [...clients, ...upstreams]) socket.destroy();
    await isClosed;
  };
  return {
    address: `127.0.0.1:${ownPort}`,
    refuse,
    silence: () => {
      isSilent = true;
      for (const client of clients) client.unpipe().resume();
      for (const upstream of upstreams) upstream.unpipe().resume();
    },
    restore: async () => {
      isSilent = false;
      if (!server.listening) await listen(ownPort);
    },
    closedByTemporal: async () => {
      await Promise.all([...upstreams].map((upstream) => once(upstream, 'close')));
    },
    close: async () => {
      if (server.listening) await refuse();
    },
  };
}
