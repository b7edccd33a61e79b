import { readFileSync } from 'node:fs';
import { createBurst } from '../domain/rate-limit.ts';
import { defaultPageLimit } from '../http/list-schema.ts';
import { renderCodes } from './render-codes.ts';

const template = readFileSync(new URL('introduction.md', import.meta.url), 'utf8');

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
