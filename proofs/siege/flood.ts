import { Agent, request as startRequest } from 'node:http';
import { type Attack, noDeeds } from './attack.ts';

export interface FloodRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

interface Flood {
  url: string;
  /** How many requests are in flight at once; each lane sends its next one as soon as it has a response. */
  lanes: number;
  requestOf: (number: number) => FloodRequest;
  /** How many source addresses the lanes share; one by default. */
  addresses?: number;
  /** Returns how often the service has come to the tenant's own server. */
  visits?: () => number;
}

/** After a connection that failed, a lane waits, so that it does not only use up its own CPU time. */
const failurePauseMilliseconds = 50;

/** Sends requests as fast as the responses come. */
export function flood({ url, lanes, requestOf, addresses = 1, visits = () => 0 }: Flood): Attack {
  const stopping = new AbortController();
  const agents = Array.from(
    { length: addresses },
    (_, number) => new Agent({ keepAlive: true, localAddress: `127.2.${number >> 8}.${1 + (number % 250)}` }),
  );
  const responses: Record<number, number> = {};
  const visitsBefore = visits();
  let sent = 0;

  const send = (agent: Agent | undefined, { method, path, headers, body }: FloodRequest): Promise<number> =>
    new Promise((resolve) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { agent, method, headers: { ...headers, ...length }, signal: stopping.signal };
      const outgoing = startRequest(url + path, options, (response) => {
        response.on('error', () => resolve(0));
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      outgoing.on('error', () => resolve(0));
      outgoing.end(body);
    });
  const runLane = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const number = sent++;
      const status = await send(agents[number % agents.length], requestOf(number));
      if (stopping.signal.aborted) return;
      responses[status] = (responses[status] ?? 0) + 1;
      if (status === 0) await new Promise((resolve) => setTimeout(resolve, failurePauseMilliseconds));
    }
  };
  const running = Array.from({ length: lanes }, runLane);

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
      for (const agent of agents) agent.destroy();
      return { ...noDeeds, responses, addresses: Math.min(addresses, sent), visits: visits() - visitsBefore };
    },
  };
}
