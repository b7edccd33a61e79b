import { readFile } from 'node:fs/promises';
import { introduction } from './introduction.ts';

/**
 * Returns the OpenAPI document of an installation with this address. It is generated from the routes ahead of time
 * (scripts/render-openapi.ts), because describing them takes a server some 100 ms and 20 MB.
 */
export async function readOpenapi(publicUrl: string): Promise<string> {
  const text = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as { info: object };
  const info = { ...document.info, description: introduction(publicUrl) };
  return JSON.stringify({ ...document, info, servers: [{ url: publicUrl }] });
}
