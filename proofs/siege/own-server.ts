import type { RequestListener } from 'node:http';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';

/** The hostile tenant's own server. It counts what the service requests. */
export interface OwnServer {
  images: number;
  webhooks: number;
}

const imageBytes = 20_000_000;
/** A PNG as far as its first bytes tell, of which the last part never comes. */
const sentBytes = Buffer.alloc(19_500_000);
sentBytes.write('\x89PNG\r\n\x1a\n', 'latin1');

/** Starts a server whose images stall shortly before their end, and that never responds to a webhook. */
export async function startOwnServer(port: number): Promise<OwnServer> {
  const own = { images: 0, webhooks: 0 };
  const respond: RequestListener = (request, response) => {
    request.resume();
    if (request.method === 'POST') {
      own.webhooks += 1;
      return;
    }
    own.images += 1;
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': imageBytes });
    response.write(sentBytes);
  };
  await startLoopbackServer(respond, port);
  return own;
}
