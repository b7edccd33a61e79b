import { readFileSync } from 'node:fs';
import { createBurst } from '../domain/rate-limit.ts';
import { defaultPageLimit } from '../http/list-schema.ts';
import { renderCodes } from './render-codes.ts';

const template = readFileSync(new URL('introduction.md', import.meta.url), 'utf8');

/** Returns what openapi.json says of the whole: generators copy it into every file, so the reference says the rest. */
export function summary(publicUrl: string): string {
  const [opening = ''] = introduction(publicUrl).split('\n\nThe response is the task.');
  return `${opening}\n\n${publicUrl}/docs has the guide: keys, errors, idempotency, limits, events, webhooks and every error code.\n`;
}

/** Returns the Markdown that opens the API reference of an installation with this address. */
export function introduction(publicUrl: string): string {
  const values: Record<string, string> = {
    url: publicUrl,
    createBurst: String(createBurst),
    pageLimit: String(defaultPageLimit),
    codes: renderCodes(),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`introduction.md names ${name}, which has no value`);
    return value;
  });
}
