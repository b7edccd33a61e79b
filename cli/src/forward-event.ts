import type { Event } from '@kinora/sdk';
import { signWebhook } from './sign-webhook.ts';
import { oneLine } from './terminal/one-line.ts';

/** What a handler made of an event. */
export interface Forwarded {
  /** Of its answer; null where none came. */
  status: number | null;
  milliseconds: number;
  /** What it said, or why there is no answer; null where all is well. */
  problem: string | null;
}

/** As long as the service itself would wait. */
const timeoutMilliseconds = 20_000;
const longestProblem = 120;

/** Sends it once, signed: whoever develops a handler wants to see it fail, not see it repeated. */
export async function forwardEvent(
  event: Event,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id: event.id, body, secret }) };
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: limit, redirect: 'manual' });
    const said = await response.text();
    const problem = response.ok ? null : problemOf(response.status, said);
    return { status: response.status, milliseconds: elapsed(), problem };
  } catch (error) {
    return { status: null, milliseconds: elapsed(), problem: reasonOf(error) };
  }
}

function problemOf(status: number, said: string): string {
  // The service does not follow them either.
  if (status >= 300 && status < 400) return 'a redirect counts as a failure';
  return oneLine(said, longestProblem) || 'not 2xx, so the service would try again later';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMilliseconds / 1000} s`;
  // fetch hides what happened in a cause; for a name with several addresses that is an error without a text.
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? String(cause.code) : '';
  return code === 'ECONNREFUSED' ? 'nobody listens there' : cause.message || code || error.message;
}
