import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type createJudge, isOverload } from './judge-response.ts';

export interface Recorder {
  url: string;
  requests: number;
  /** Requests without a response, as the API may close the connection if it refuses one before its body ends. */
  hangUps: number;
  /** Responses that say that the API is too busy. */
  overloads: number;
  succeeded: number;
  /** How often each operation responded with 2xx. */
  reached: Map<string, number>;
  statuses: Map<number, number>;
  complaints: string[];
  close(): Promise<void>;
}

/** How long the recorder reads an event stream before it closes it. */
const streamMilliseconds = 150;
const mostComplaints = 200;

/** Starts a proxy between the fuzzers and the API that judges every response. */
export async function startRecorder(target: string, judge: ReturnType<typeof createJudge>): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const recorder: Recorder = {
    url: '',
    requests: 0,
    hangUps: 0,
    overloads: 0,
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

  const note = (incoming: IncomingMessage, apiResponse: IncomingMessage, body: string): void => {
    const method = incoming.method ?? '';
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    const status = apiResponse.statusCode ?? 0;
    // Schemathesis reads the API description from here, which is not a fuzzed request.
    if (path === '/openapi.json') return;
    recorder.requests += 1;
    recorder.statuses.set(status, (recorder.statuses.get(status) ?? 0) + 1);
    if (isOverload(status, body)) recorder.overloads += 1;
    if (status < 300) {
      recorder.succeeded += 1;
      const name = judge.operationFor(method, path)?.name;
      if (name !== undefined) recorder.reached.set(name, (recorder.reached.get(name) ?? 0) + 1);
    }
    const contentType = apiResponse.headers['content-type'] ?? null;
    const complaint = judge.complaint({ method, path, status, contentType, body });
    if (complaint !== null && recorder.complaints.length < mostComplaints) recorder.complaints.push(complaint);
  };

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const outgoing = httpRequest(`${target}${withoutWait(incoming.url ?? '')}`, {
      method: incoming.method,
      headers: { ...incoming.headers, ...headersWithoutWait(incoming.headers) },
      agent,
    });
    outgoing.on('error', (error) => {
      // The fuzzer that is still sending its body must see the closed connection too.
      const isHangUp = 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
      if (!response.headersSent && isHangUp) recorder.hangUps += 1;
      else if (!response.headersSent)
        recorder.complaints.push(`${incoming.method} ${incoming.url?.slice(0, 100)}: no response, ${error.message}`);
      response.destroy();
    });
    outgoing.on('response', (apiResponse) => {
      const chunks: Buffer[] = [];
      const isStream = String(apiResponse.headers['content-type']).startsWith('text/event-stream');
      response.writeHead(apiResponse.statusCode ?? 502, apiResponse.headers);
      apiResponse.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        response.write(chunk);
      });
      apiResponse.once('close', () => {
        note(incoming, apiResponse, Buffer.concat(chunks).toString('utf8'));
        response.end();
      });
      if (isStream) setTimeout(() => apiResponse.destroy(), streamMilliseconds);
    });
    incoming.pipe(outgoing);
  };

  const server = createServer({ maxHeaderSize: 64 * 1024, requireHostHeader: false }, forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  recorder.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A listening TCP server has a port.
  return recorder;
}

/** Replaces long waits by none: while the worker is stopped no task ends, and a request would wait for a minute. */
function withoutWait(url: string): string {
  return url.replace(/([?&]wait=)([1-9]|[1-5]\d|60)(?=&|$)/g, '$10');
}

function headersWithoutWait({ prefer }: IncomingMessage['headers']): Record<string, string> {
  if (prefer === undefined) return {};
  const text = [prefer].flat().join(', ');
  return { prefer: text.replace(/wait="?([1-9]|[1-5]\d|60)"?(?!\d)/gi, 'wait=0') };
}
