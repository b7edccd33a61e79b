import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One submit as it reached the engine. */
interface Submit {
  jobId: string;
  /** Null: nobody knows what became of it. */
  status: number | null;
}

/** Stands in front of an engine, hands everything on, and remembers what was submitted. */
export interface EngineProxy {
  url: string;
  /** How often the engine was handed each job of a task without refusing it. */
  submitsOf(taskId: string): Record<string, number>;
  close(): Promise<void>;
}

export async function startEngineProxy(engineUrl: string): Promise<EngineProxy> {
  const submits: Submit[] = [];
  const server = createServer((incoming, response) => {
    const jobId = /^\/predictions\/([^/]+)$/.exec(incoming.url ?? '')?.[1];
    const submit = incoming.method === 'PUT' && jobId ? { jobId: decodeURIComponent(jobId), status: null } : null;
    if (submit) submits.push(submit);
    const { method, headers } = incoming;
    // No connection outlives its request: one to a server that was killed would fail the first request to its successor.
    const outgoing = httpRequest(`${engineUrl}${incoming.url}`, { method, headers, agent: false }, (answer) => {
      if (submit) Object.assign(submit, { status: answer.statusCode });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    // As if there were nobody in between: whoever asks a dead engine gets no answer.
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    submitsOf(taskId) {
      const counts: Record<string, number> = {};
      // A server that is busy says so with 409 and takes nothing.
      for (const { jobId } of submits.filter((one) => one.jobId.startsWith(`${taskId}-`) && one.status !== 409))
        counts[jobId] = (counts[jobId] ?? 0) + 1;
      return counts;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
