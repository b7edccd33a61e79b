import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

type Reply = Uint8Array | ((response: ServerResponse) => void);

export interface ImageServer {
  url(path: string): string;
  /** The paths asked for so far, in order. */
  asked: string[];
  serve(path: string, reply: Reply): void;
  /** Breaks off what is under way and frees the port. */
  close: () => Promise<void>;
}

/** Someone else's web server, on loopback: serves what it is told, `otherwise` under all other paths, and remembers who asked. */
export async function startImageServer(port: number, host = '127.0.0.1', otherwise?: Reply): Promise<ImageServer> {
  const replies = new Map<string, Reply>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const reply = replies.get(path) ?? otherwise;
    if (reply === undefined) response.writeHead(404).end('no such picture');
    else if (typeof reply === 'function') reply(response);
    // The type is a lie on purpose: content decides.
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(reply);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: (path) => `http://${host}:${port}${path}`,
    asked,
    serve: (path, reply) => void replies.set(path, reply),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function redirect(location: string): Reply {
  return (response) => void response.writeHead(302, { location }).end();
}
