import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  port: number;
  /** The webhook signatures that came in. */
  signatures: Set<string>;
  /** Signatures of the URLs in the bodies that came in. */
  bodies: string[];
  close(): Promise<void>;
}

/** Takes webhooks, refusing every third, and serves one image. */
export async function startReceiver(image: Buffer): Promise<Receiver> {
  const signatures = new Set<string>();
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'image/png').end(image);
        return;
      }
      for (const signature of signaturesOf(request.headers)) signatures.add(signature);
      bodies.push(Buffer.concat(chunks).toString('utf8'));
      response.statusCode = bodies.length % 3 === 0 ? 500 : 200;
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    signatures,
    bodies,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function signaturesOf(headers: IncomingHttpHeaders): string[] {
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1,'));
}
