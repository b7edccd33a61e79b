import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `pass` forwards everything. `black-hole` keeps all connections and accepts new ones, but forwards nothing, not even
 * the end of a connection, as if packets were dropped. `refuse` resets all connections and refuses new ones.
 */
type ProxyMode = 'pass' | 'black-hole' | 'refuse';

/** A loopback proxy in front of a TCP server, whose network can fail in ways that a killed process does not show. */
export interface TcpProxy {
  port: number;
  /** Changes the mode. Connections that a black hole held go on where they were when it ends. */
  set(mode: ProxyMode): Promise<void>;
  /** Black-holes the present connections for good, as if one host had vanished; new connections pass. */
  vanish(): Promise<void>;
  /** Resolves once the server has closed all its connections to hosts that have vanished. */
  vanishedAreClosed(): Promise<void>;
  /** Resets all connections and frees the port. */
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  /** Null until a connection that a black hole accepted may pass. */
  server: Socket | null;
  hasVanished: boolean;
}

export async function startTcpProxy(target: { port: number; host?: string }): Promise<TcpProxy> {
  const links = new Set<Link>();
  let mode: ProxyMode = 'pass';
  const isPassing = (link: Link): boolean => mode === 'pass' && !link.hasVanished;

  const reset = (link: Link): void => {
    links.delete(link);
    link.client.resetAndDestroy();
    link.server?.resetAndDestroy();
  };
  const watch = (link: Link, socket: Socket): void => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      if (isPassing(link)) reset(link);
    });
  };
  const forward = (link: Link): void => {
    if (link.server === null) {
      link.server = connect({ host: '127.0.0.1', ...target, allowHalfOpen: true });
      watch(link, link.server);
    }
    if (link.client.destroyed || link.server.destroyed) return reset(link);
    link.client.pipe(link.server);
    link.server.pipe(link.client);
  };
  const hold = ({ client, server }: Link): void => {
    client.unpipe();
    server?.unpipe();
  };

  // Half-open connections, because the proxy must not end a connection by itself.
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const link: Link = { client, server: null, hasVanished: false };
    links.add(link);
    watch(link, client);
    if (mode === 'pass') forward(link);
  });
  const listen = async (port: number): Promise<void> => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen(0);
  const { port } = listener.address() as AddressInfo; // a TCP server has a port

  const set = async (next: ProxyMode): Promise<void> => {
    if (next === mode) return;
    const wasRefusing = mode === 'refuse';
    mode = next;
    if (next === 'refuse') {
      listener.close();
      for (const link of links) reset(link);
    } else if (next === 'black-hole') for (const link of links) hold(link);
    else for (const link of links) if (isPassing(link)) forward(link);
    if (wasRefusing) await listen(port);
  };
  return {
    port,
    set,
    vanish: async () => {
      for (const link of links) {
        link.hasVanished = true;
        hold(link);
        link.server?.resume(); // otherwise the end of a connection stays behind what nobody reads
      }
      await set('pass');
    },
    vanishedAreClosed: async () => {
      const servers = [...links].flatMap(({ server, hasVanished }) => (hasVanished && server ? [server] : []));
      await Promise.all(servers.filter(({ readableEnded }) => !readableEnded).map((server) => once(server, 'end')));
    },
    close: async () => {
      await set('refuse');
    },
  };
}
