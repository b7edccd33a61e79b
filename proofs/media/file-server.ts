import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FileServer {
  /** Serves the file from now on, and answers its address. */
  add(bytes: Buffer, contentType: string): string;
  /** What hostile files point at; nobody must ask for it. */
  canaryUrl: string;
  canaryPaths: string[];
  close(): Promise<void>;
}

/** Somebody else's web server on loopback, with hostile files under harmless names. */
export async function startFileServer(port = 0): Promise<FileServer> {
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const canaryPaths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = files.get(path);
    if (path.startsWith('/canary')) canaryPaths.push(path);
    if (file) response.writeHead(200, { 'content-type': file.contentType }).end(file.bytes);
    else response.writeHead(404).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // An address that listens on TCP has this form.
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${taken}`;
  return {
    add: (bytes, contentType) => {
      const path = `/${files.size + 1}.png`;
      files.set(path, { bytes, contentType });
      return `${url}${path}`;
    },
    canaryUrl: `${url}/canary`,
    canaryPaths,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
