import { readFile } from 'node:fs/promises';
import { introduction } from './introduction.ts';

/** The OpenAPI document for this address, rendered ahead of time: describing the routes takes some 100 ms and 20 MB. */
export async function readOpenapi(publicUrl: string): Promise<string> {
  const text = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as { info: object };
  const info = { ...document.info, description: introduction(publicUrl) };
  return JSON.stringify({ ...document, info, servers: [{ url: publicUrl }] });
}
