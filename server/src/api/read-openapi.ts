import { readFile } from 'node:fs/promises';
import { introduction, summary } from './introduction.ts';

/** The OpenAPI document for this address, rendered ahead of time: describing the routes takes some 100 ms and 20 MB. */
export function readOpenapi(publicUrl: string): Promise<string> {
  return readDocument(publicUrl, summary(publicUrl));
}

/** The same with the whole introduction, for people. */
export function readReference(publicUrl: string): Promise<string> {
  return readDocument(publicUrl, introduction(publicUrl));
}

async function readDocument(publicUrl: string, description: string): Promise<string> {
  const text = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as { info: object };
  return JSON.stringify({ ...document, info: { ...document.info, description }, servers: [{ url: publicUrl }] });
}
