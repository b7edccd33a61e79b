import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { renderOpenapi } from './render-openapi.ts';

/** Renders the SDK's types from the OpenAPI document: nothing about the service is typed by hand. */
export async function renderSdkTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-types-'));
  try {
    const input = join(folder, 'openapi.json');
    const output = join(folder, 'out');
    await writeFile(input, await renderOpenapi());
    await createClient({ input, output, plugins: ['@hey-api/typescript'], logs: { level: 'silent' } });
    return await readFile(join(output, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
