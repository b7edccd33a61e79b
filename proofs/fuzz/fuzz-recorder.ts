import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { createJudge } from './judge-response.ts';

export interface Recorder {
  url: string;
  requests: number;
  /** How many were answered by a closed connection: the API hangs up on what it refuses before its body has come. */
  hangUps: number;
  succeeded: number;
  /** How often each operation was answered with 2xx. */
  reached: Map<string, number>;
  statuses: Map<number, number>;
  complaints: string[];
  close(): Promise<void>;
}

/** A stream is listened to for so long. */
const streamMilliseconds = 150;
const complaintsKept = 200;

/** Stands between whoever fuzzes and the API, and judges every answer. */
export async function startRecorder(target: string, judge: ReturnType<typeof createJudge>): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const recorder: Recorder = {
    url: '',
    requests: 0,
    hangUps: 0,
    succeeded: 0,
    reached: new Map(),
    statuses: new Map(),
    complaints: [],
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const note = (incoming: IncomingMessage, answer: IncomingMessage, body: string): void => {
    const method = incoming.method ?? '';
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    const status = answer.statusCode ?? 0;
    // Schemathesis reads the description itself; that is no part of the fuzzing.
    if (path === '/openapi.json') return;
    recorder.requests += 1;
    recorder.statuses.set(status, (recorder.statuses.get(status) ?? 0) + 1);
    if (status < 300) {
      recorder.succeeded += 1;
      const name = judge.operationFor(method, path)?.name;
      if (name !== undefined) recorder.reached.set(name, (recorder.reached.get(name) ?? 0) + 1);
    }
    const contentType = answer.headers['content-type'] ?? null;
    const complaint = judge.complaint({ method, path, status, contentType, body });
    if (complaint !== null && recorder.complaints.length < complaintsKept) recorder.complaints.push(complaint);
  };

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const outgoing = httpRequest(`${target}${impatient(incoming.url ?? '')}`, {
      method: incoming.method,
      headers: { ...incoming.headers, ...impatientHeaders(incoming.headers) },
      agent,
    });
    outgoing.on('error', (error) => {
      // Whoever sent the rest of the body sees the hang-up too.
      const isHangUp = 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
      if (!response.headersSent && isHangUp) recorder.hangUps += 1;
      else if (!response.headersSent)
        recorder.complaints.push(`${incoming.method} ${incoming.url?.slice(0, 100)}: no answer, ${error.message}`);
      response.destroy();
    });
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        response.write(chunk);
      });
      answer.once('close', () => {
        note(incoming, answer, Buffer.concat(chunks).toString('utf8'));
        response.end();
      });
      if (isStream) setTimeout(() => answer.destroy(), streamMilliseconds);
    });
    incoming.pipe(outgoing);
  };

  const server = createServer({ maxHeaderSize: 64 * 1024, requireHostHeader: false }, forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  recorder.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens has one
  return recorder;
}

/** Nothing ever ends in here, so whoever asks to wait would wait out the minute. */
function impatient(url: string): string {
  return url.replace(/([?&]wait=)([1-9]|[1-5]\d|60)(?=&|$)/g, '$10');
}

function impatientHeaders({ prefer }: IncomingMessage['headers']): Record<string, string> {
  if (prefer === undefined) return {};
  const text = [prefer].flat().join(', ');
  return { prefer: text.replace(/wait="?([1-9]|[1-5]\d|60)"?(?!\d)/gi, 'wait=0') };
}
