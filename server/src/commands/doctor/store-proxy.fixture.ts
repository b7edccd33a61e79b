import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listen } from '../../outbound/loopback-server.fixture.ts';

interface StoreProxy extends AsyncDisposable {
  url: string;
}

interface Change {
  /** Returns a response of the proxy's own, or null to pass the request on. */
  respond?: (request: IncomingMessage) => { status: number; body: string } | null;
  /** Moves the Date header of every response. */
  clockMilliseconds?: number;
}

/** Changes some responses of the tests' store, which has no rules or rights. The Host header stays, as it is signed. */
export async function startStoreProxy(storeUrl: string, change: Change): Promise<StoreProxy> {
  const { hostname, port } = new URL(storeUrl);
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const own = change.respond?.(incoming) ?? null;
    if (own) {
      incoming.resume();
      outgoing.writeHead(own.status, { 'content-type': 'application/xml' }).end(own.body);
      return;
    }
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (response) => {
      const date = new Date(Date.now() + (change.clockMilliseconds ?? 0)).toUTCString();
      outgoing.writeHead(response.statusCode ?? 500, { ...response.headers, date });
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const loopback = await listen(server);
  return {
    url: `http://127.0.0.1:${loopback.port}`,
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  };
}
