import { request as httpRequest } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';

/** One submit as it reached the engine. */
interface Submit {
  jobId: string;
  /** Null if no response came. */
  status: number | null;
}

/** A proxy in front of an engine that forwards everything and records submits. */
export interface EngineProxy extends LoopbackServer {
  /** Returns how often each job of a task was submitted to the engine without a refusal. */
  submitsOf(taskId: string): Record<string, number>;
}

export async function startEngineProxy(engineUrl: string): Promise<EngineProxy> {
  const submits: Submit[] = [];
  const server = await startLoopbackServer((incoming, response) => {
    const jobId = /^\/predictions\/([^/]+)$/.exec(incoming.url ?? '')?.[1];
    const submit = incoming.method === 'PUT' && jobId ? { jobId: decodeURIComponent(jobId), status: null } : null;
    if (submit) submits.push(submit);
    const { method, headers } = incoming;
    // Connections are not reused: one to a killed server would fail the first request to its successor.
    const outgoing = httpRequest(`${engineUrl}${incoming.url}`, { method, headers, agent: false }, (engineResponse) => {
      if (submit) Object.assign(submit, { status: engineResponse.statusCode });
      response.writeHead(engineResponse.statusCode ?? 502, engineResponse.headers);
      engineResponse.on('error', () => response.destroy());
      engineResponse.pipe(response);
    });
    // A request to a dead engine gets no response, as it would without the proxy.
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return {
    ...server,
    submitsOf(taskId) {
      const counts: Record<string, number> = {};
      // A busy server refuses a job with 409.
      for (const { jobId } of submits.filter((one) => one.jobId.startsWith(`${taskId}-`) && one.status !== 409))
        counts[jobId] = (counts[jobId] ?? 0) + 1;
      return counts;
    },
  };
}
