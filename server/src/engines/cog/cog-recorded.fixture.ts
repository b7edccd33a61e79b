import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One exchange with a real Cog server 0.23.1, as it was recorded. */
export interface RecordedExchange {
  request: { method: string; path: string; body: unknown };
  response: { status: number; body: unknown };
}

/** What is written in a file of `recorded/`; each has its own shape. */
export function readRecorded(name: string): Record<string, unknown> {
  // The files are ours and are read in tests alone.
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', `${name}.json`), 'utf8')) as Record<
    string,
    unknown
  >;
}

/** The exchange of a file that holds one. */
export function recordedExchange(name: string): RecordedExchange {
  return (readRecorded(name) as { exchange: RecordedExchange }).exchange;
}

/** The bodies of the webhooks of a file, in order. */
export function recordedWebhooks(name: string): Record<string, unknown>[] {
  return (readRecorded(name) as { deliveries: { body: Record<string, unknown> }[] }).deliveries.map(({ body }) => body);
}
