import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { failureModes, failureOf, respond } from './failure-modes.ts';
import { isDeadPlace, type Received } from './observations.ts';
import { isAcceptedByPackage, isAcceptedBySpecification } from './verify.ts';

interface Request {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url(place: string): string;
  /** Secrets by place; the verifiers refuse all requests to a place without one. */
  secrets: Map<string, string>;
  received: Received[];
  /** The tries that hang at a dead endpoint now. */
  hanging: ReadonlySet<object>;
  /** Resets all tries that hang at a dead endpoint, and from now on each new one at once. */
  release(): void;
  redirectsFollowed: number;
  close(): Promise<void>;
}

/** Fails three of ten requests in ten modes, some below HTTP. `/dead-…` hangs until released, `/steady-…` works. */
export async function startReceiver(port: number, mostFailures: number): Promise<Receiver> {
  const open = new Set<Socket>();
  const hanging = new Set<Socket>();
  let isReleased = false;
  /** By endpoint, the webhooks in the order of their first try, with the number of their tries. */
  const webhooks = new Map<string, Map<string, { number: number; tries: number }>>();
  const receiver: Receiver = {
    url: (place) => `http://127.0.0.1:${port}/${place}`,
    secrets: new Map(),
    received: [],
    hanging,
    release: () => {
      isReleased = true;
      for (const socket of hanging) socket.resetAndDestroy();
    },
    redirectsFollowed: 0,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };

  const receive = (socket: Socket, { path, headers, body }: Request): void => {
    const place = path.slice(1);
    if (place === 'redirected') receiver.redirectsFollowed += 1;
    const webhookId = headers['webhook-id'] ?? '';
    const ofPlace = webhooks.get(place) ?? new Map<string, { number: number; tries: number }>();
    webhooks.set(place, ofPlace);
    const known = ofPlace.get(webhookId) ?? { number: ofPlace.size, tries: 0 };
    known.tries += 1;
    ofPlace.set(webhookId, known);
    // Chosen by the webhook's number and not by its id, which differs in each run: all runs have the same failures.
    const name = `${testSeed} ${place} ${known.number}`;
    const failure = place.startsWith('steady') ? null : failureOf(name, known.tries, mostFailures);
    const outcome = isDeadPlace(place) ? 'silence' : (failure ?? 'ok');
    const secret = receiver.secrets.get(place) ?? '';
    receiver.received.push({
      place,
      webhookId,
      ...idsOf(body),
      at: performance.now(),
      isAcceptedByPackage: isAcceptedByPackage(secret, headers, body),
      isAcceptedBySpecification: isAcceptedBySpecification(secret, headers, body),
      outcome,
    });
    if (isDeadPlace(place)) {
      if (isReleased) socket.resetAndDestroy();
      else hanging.add(socket);
    } else if (outcome === 'ok') respond(socket, '204 No Content', []);
    else failureModes[outcome]?.(socket);
  };

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      hanging.delete(socket);
    });
    let text = '';
    let isReceived = false;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const request = isReceived ? null : parse(text);
      if (!request) return;
      isReceived = true;
      receive(socket, request);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return receiver;
}

/** Returns the request once it is complete; null until then. */
function parse(text: string): Request | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [requestLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return null;
  return { path: requestLine.split(' ')[1] ?? '', headers, body: Buffer.from(body, 'latin1').toString('utf8') };
}

function idsOf(body: string): { bodyId: string; taskId: string } {
  try {
    const { id, data } = JSON.parse(body) as { id?: unknown; data?: { task_id?: unknown } };
    return { bodyId: String(id), taskId: String(data?.task_id) };
  } catch {
    return { bodyId: '', taskId: '' };
  }
}
