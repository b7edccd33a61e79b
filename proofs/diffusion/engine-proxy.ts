import { request as httpRequest } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';

/** One submit as it reached the engine. */
interface Submit {
  jobId: string;
  /** Null: nobody knows what became of it. */
  status: number | null;
}

/** Stands in front of an engine, hands everything on, and remembers what was submitted. */
export interface EngineProxy extends LoopbackServer {
  /** How often the engine was handed each job of a task without refusing it. */
  submitsOf(taskId: string): Record<string, number>;
}

export async function startEngineProxy(engineUrl: string): Promise<EngineProxy> {
  const submits: Submit[] = [];
  const server = await startLoopbackServer((incoming, response) => {
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
  return {
    ...server,
    submitsOf(taskId) {
      const counts: Record<string, number> = {};
      // A server that is busy says so with 409 and takes nothing.
      for (const { jobId } of submits.filter((one) => one.jobId.startsWith(`${taskId}-`) && one.status !== 409))
        counts[jobId] = (counts[jobId] ?? 0) + 1;
      return counts;
    },
  };
}
