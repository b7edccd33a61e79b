import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Definition {
  type?: string;
  format?: string;
  properties?: Record<string, unknown>;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  [keyword: string]: unknown;
}

/** Writes strict JSON schemas for kubeconform from the OpenAPI description that `scripts/setup chart` installs. */
export async function writeKubernetesSchemas(folder: string, kinds: ReadonlySet<string>): Promise<void> {
  const path = join(import.meta.dirname, '../../.tools/kubernetes/openapi.json');
  const { definitions } = JSON.parse(await readFile(path, 'utf8')) as { definitions: Record<string, Definition> };
  for (const definition of Object.values(definitions)) {
    if (definition.properties) definition['additionalProperties'] ??= false;
    // The format means an integer or a string; the type alone would refuse integers.
    if (definition.format === 'int-or-string') definition.type = ['integer', 'string'] as unknown as string;
  }
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      if (!kinds.has(`${group ? `${group}/` : ''}${version}/${kind}`)) continue;
      const file = [kind, ...(group ? [group.split('.')[0]] : []), version].join('-').toLowerCase();
      const schema = { $ref: `#/definitions/${name}`, definitions };
      await writeFile(join(folder, `${file}.json`), JSON.stringify(schema));
    }
  }
}
