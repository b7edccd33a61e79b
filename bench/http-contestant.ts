import type { Contestant } from './alternate.ts';
import { createSender, type LoadRequest, runClosedLoop, sendAtRate } from './send-load.ts';

/** A server, and the requests that it gets. */
interface HttpLoad {
  name: string;
  groups: Contestant['groups'];
  url: string;
  /** Returns the request with this number, counted from 0. */
  requestOf: (number: number) => LoadRequest;
}

const connections = 16;

/** The same for every contestant, because the CPU time per request falls steeply while V8 compiles what is hot. */
const warmUpRequests = 4_000;

/** A contestant that serves requests over HTTP, in rounds of `requests`. The rounds share their connections. */
export function httpContestant({ name, groups, url, requestOf }: HttpLoad, requests: number): Contestant {
  const sender = createSender(url, connections);
  const send = (count: number) => runClosedLoop(count, connections, (number) => sender.send(requestOf(number)));
  return { name, groups, warmUp: () => send(warmUpRequests), run: () => send(requests), close: sender.close };
}

/** Sends requests at a fixed rate and returns their latencies as figures; none for a time of 0 s. */
export async function latenciesAtRate(
  { name, url, requestOf }: HttpLoad,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Record<string, number>> {
  if (seconds === 0) return {};
  const result = await sendAtRate({ url, requestOf, requests: perSecond * seconds }, perSecond);
  return {
    [`${name} at ${perSecond} per second: p50 ms`]: Math.round(result.p50Milliseconds),
    [`${name} at ${perSecond} per second: p99 ms`]: Math.round(result.p99Milliseconds),
  };
}
