import type { RequestListener, ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server.ts';

type Reply = Uint8Array | ((response: ServerResponse) => void);

export interface ImageServer {
  url(path: string): string;
  /** The paths that were requested so far, in order. */
  requestedPaths: string[];
  serve(path: string, reply: Reply): void;
  /** Closes all connections and frees the port. */
  close: () => Promise<void>;
}

/** Starts a web server on loopback that sends the replies of `serve`, or else `otherwise`, and records the requests. */
export async function startImageServer(port: number, host = '127.0.0.1', otherwise?: Reply): Promise<ImageServer> {
  const replies = new Map<string, Reply>();
  const requestedPaths: string[] = [];
  const respond: RequestListener = (request, response) => {
    const path = request.url ?? '';
    requestedPaths.push(path);
    const reply = replies.get(path) ?? otherwise;
    if (reply === undefined) response.writeHead(404).end('no such picture');
    else if (typeof reply === 'function') reply(response);
    // A wrong type on purpose: the service must look at the content.
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(reply);
  };
  const server = await startLoopbackServer(respond, port, host);
  return {
    url: (path) => `${server.url}${path}`,
    requestedPaths,
    serve: (path, reply) => void replies.set(path, reply),
    close: server.close,
  };
}

export function redirect(location: string): Reply {
  return (response) => void response.writeHead(302, { location }).end();
}
