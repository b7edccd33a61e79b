import type { KinoraEvent } from '@kinora/sdk';
import { signWebhook } from './sign-webhook.ts';
import { oneLine } from './terminal/one-line.ts';

/** The result of forwarding one event to a handler. */
export interface Forwarded {
  /** The HTTP status; null if no response arrived. */
  status: number | null;
  milliseconds: number;
  /** The handler's error text, or why there is no response; null on success. */
  problem: string | null;
}

/** 20 s: the service itself waits this long. */
const timeoutMilliseconds = 20_000;
const longestProblem = 120;

/** Sends a signed event once. It is not retried, because the developer of a handler wants to see each failure. */
export async function forwardEvent(
  event: KinoraEvent,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id: event.id, body, secret }) };
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: limit, redirect: 'manual' });
    const text = await response.text();
    const problem = response.ok ? null : problemOf(response.status, text);
    return { status: response.status, milliseconds: elapsed(), problem };
  } catch (error) {
    return { status: null, milliseconds: elapsed(), problem: reasonOf(error) };
  }
}

function problemOf(status: number, text: string): string {
  // The service does not follow redirects either.
  if (status >= 300 && status < 400) return 'a redirect counts as a failure';
  return oneLine(text, longestProblem) || 'not 2xx, so the service would try again later';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${timeoutMilliseconds / 1000} s`;
  // fetch wraps the real error as a cause. For a host with several addresses, the cause has a code but no message.
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? String(cause.code) : '';
  return code === 'ECONNREFUSED' ? 'connection refused' : cause.message || code || error.message;
}
