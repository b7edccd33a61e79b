import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recorded exchange with a real Cog server 0.23.1. */
export interface RecordedExchange {
  request: { method: string; path: string; body: unknown };
  response: { status: number; body: unknown };
}

/** Reads a file of `recorded/`; each has its own shape. */
export function readRecorded(name: string): Record<string, unknown> {
  // The files are ours and are read only in tests.
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', `${name}.json`), 'utf8')) as Record<
    string,
    unknown
  >;
}

/** Returns the exchange of a file that contains one. */
export function recordedExchange(name: string): RecordedExchange {
  return (readRecorded(name) as { exchange: RecordedExchange }).exchange;
}

/** Returns the bodies of the webhooks in a file, in order. */
export function recordedWebhooks(name: string): Record<string, unknown>[] {
  return (readRecorded(name) as { deliveries: { body: Record<string, unknown> }[] }).deliveries.map(({ body }) => body);
}
