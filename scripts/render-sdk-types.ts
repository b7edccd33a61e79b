import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { renderOpenapi } from './render-openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { in?: string }[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
}

/** Renders the SDK's types from the OpenAPI document: nothing about the service is typed by hand. */
export async function renderSdkTypes(): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sdk-types-'));
  const input = join(folder.path, 'openapi.json');
  const output = join(folder.path, 'out');
  await writeFile(input, JSON.stringify(usedBySdk(JSON.parse(await renderOpenapi()) as Document))); // our own document
  await createClient({ input, output, plugins: ['@hey-api/typescript'], logs: { level: 'silent' } });
  return await readFile(join(output, 'types.gen.ts'), 'utf8');
}

/** Returns all schemas, and of the operations only the query parameters: the SDK names no other part of them. */
function usedBySdk({ paths, components: { schemas }, ...document }: Document): object {
  const queries = Object.entries(paths).map(([path, methods]) => {
    const withQuery = Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) => {
      const query = parameters.filter((parameter) => parameter.in === 'query');
      return query.length === 0 ? [] : [[method, { operationId, parameters: query, responses: {} }] as const];
    });
    return [path, Object.fromEntries(withQuery)] as const;
  });
  return { ...document, webhooks: undefined, components: { schemas }, paths: Object.fromEntries(queries) };
}
