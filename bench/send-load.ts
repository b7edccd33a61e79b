import { Agent, request as startRequest } from 'node:http';
import { percentile } from '@kinora/stack/harness/percentile';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** From the moment when a request was due until its response was read. */
  p50Milliseconds: number;
  p99Milliseconds: number;
}

interface LoadOptions {
  url: string;
  /** Returns the request with this number, counted from 0. */
  requestOf: (number: number) => LoadRequest;
  requests: number;
}

/** Keeps `atOnce` calls of `run` going. Slow responses slow this closed loop too: for latencies use `sendAtRate`. */
export async function runClosedLoop(
  requests: number,
  atOnce: number,
  run: (number: number) => Promise<void>,
): Promise<LoadResult> {
  const startedAt = performance.now();
  const latencies: number[] = [];
  let next = 0;
  const runLane = async (): Promise<void> => {
    while (next < requests) {
      const sentAt = performance.now();
      await run(next++);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runLane));
  return summarise(latencies, startedAt);
}

/** Sends at a fixed rate; a latency counts from when its request was due, so that no stall can hide what waited. */
export async function sendAtRate({ url, requestOf, requests }: LoadOptions, perSecond: number): Promise<LoadResult> {
  const sender = createSender(url, Number.POSITIVE_INFINITY);
  const startedAt = performance.now();
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  for (let number = 0; number < requests; ) {
    const due = Math.min(requests, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1);
    for (; number < due; number += 1) {
      const dueAt = startedAt + (number / perSecond) * 1000;
      running.push(sender.send(requestOf(number)).then(() => void latencies.push(performance.now() - dueAt)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  sender.close();
  return summarise(latencies, startedAt);
}

/** Sends requests over keep-alive connections, at most as many as `maxSockets`. Throws unless the response is 200. */
export function createSender(url: string, maxSockets: number) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets });
  const send = ({ method, path, headers, body }: LoadRequest): Promise<void> =>
    new Promise((resolve, reject) => {
      const length =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = startRequest({ hostname, port, agent, method, path, headers: { ...headers, ...length } });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${method} ${path} got ${response.statusCode}`));
        });
      });
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function summarise(latencies: readonly number[], startedAt: number): LoadResult {
  return {
    requests: latencies.length,
    seconds: (performance.now() - startedAt) / 1000,
    p50Milliseconds: percentile(latencies, 50),
    p99Milliseconds: percentile(latencies, 99),
  };
}
