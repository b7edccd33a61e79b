import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { expect } from 'vitest';

const folder = join(import.meta.dirname, 'histories');

/** Returns every recorded run of every version with the name of its file. */
export async function readHistories(): Promise<{ name: string; history: object }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace('.json', ''),
      history: Object(JSON.parse(await readFile(join(folder, file), 'utf8'))) as object,
    })),
  );
}

/** Stores a run of this version for the replay test. New code must replay it, so a file stays; new ones get numbers. */
export async function keepHistory(name: string, history: temporal.api.history.v1.IHistory): Promise<void> {
  const path = join(folder, `${name}.json`);
  const text = JSON.stringify(temporal.api.history.v1.History.fromObject(history));
  expect(text).not.toMatch(/prompt|https?:/);
  if (existsSync(path)) return;
  const kept: unknown = JSON.parse(text, (key, value: unknown) => {
    // The names of workers and of their own queues contain the process and the host, which must not be stored.
    if (typeof value !== 'string') return value;
    if (key === 'data') return shortened(value);
    return key === 'stackTrace' ? '' : value.replace(/^\d+@.*?(?=-[0-9a-f]{32}$|$)/, 'worker');
  });
  await writeFile(path, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Shortens the ids that tests make long so that a history soon counts as long. */
function shortened(payload: string): string {
  const text = Buffer.from(payload, 'base64').toString('utf8');
  return Buffer.from(text.replaceAll(/x{1000,}/g, 'x')).toString('base64');
}
