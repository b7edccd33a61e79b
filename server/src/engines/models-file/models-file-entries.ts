import { Type } from 'typebox';
import { schemaCheck } from './models-file-problems.ts';
import {
  type BuiltInEntry,
  builtInModelSchema,
  type ModelEntry,
  modelSchema,
  modelsFileSchema,
  type PoolEntry,
  poolSchemas,
} from './models-file-schema.ts';
import type { FilePath, FileProblem } from './models-file-yaml.ts';

/** An entry of the file that is valid by its schema, and its place in the file. */
export type Placed<Entry> = { at: FilePath; entry: Entry };

export interface Entries {
  models: Placed<ModelEntry | BuiltInEntry>[];
  pools: Placed<PoolEntry>[];
  /** All pools that a model may name, including those with problems. */
  poolIds: readonly string[];
  allowsGaps: boolean;
}

/** The pool of the built-in engine, which exists even if the file does not list it. */
export const builtInPool = 'animatic';

const { models: _models, pools: _pools, ...others } = modelsFileSchema.properties;
const checkFile = schemaCheck(
  Type.Object(
    {
      models: Type.Array(Type.Unknown(), { minItems: 1 }),
      pools: Type.Optional(Type.Array(Type.Unknown())),
      ...others,
    },
    { additionalProperties: false },
  ),
);
const checkBuiltIn = schemaCheck(builtInModelSchema);
const checkModel = schemaCheck(modelSchema);
const checkPool = new Map(Object.entries(poolSchemas).map(([engine, schema]) => [engine, schemaCheck(schema)]));
const engineNames = Object.keys(poolSchemas);

/** Checks each entry by the schema of its kind, so that each problem is described in terms of that kind. */
export function readEntries(value: unknown): { entries: Entries; problems: FileProblem[] } {
  const problems = checkFile(value ?? {}, []);
  const { models, pools, allow_gaps: allowsGaps } = isObject(value) ? value : {};
  const take = <Entry>(list: unknown, name: string, check: (entry: unknown, at: FilePath) => FileProblem[]) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown, index): Placed<Entry>[] => {
      const at = [name, index];
      const found = check(entry, at);
      problems.push(...found);
      return found.length === 0 ? [{ at, entry: entry as Entry }] : []; // its schema was checked just now
    });
  return {
    entries: {
      models: take(models, 'models', (entry, at) => (isBuiltIn(entry) ? checkBuiltIn : checkModel)(entry, at)),
      pools: take(pools, 'pools', poolProblems),
      poolIds: [builtInPool, ...idsOf(pools)],
      allowsGaps: allowsGaps === true,
    },
    problems,
  };
}

export function isBuiltIn(entry: unknown): entry is BuiltInEntry {
  return isObject(entry) && entry['id'] === 'animatic';
}

function idsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => (isObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : []));
}

function poolProblems(entry: unknown, at: FilePath): FileProblem[] {
  if (!isObject(entry)) return [{ path: at, text: 'must be a mapping with id, engine and endpoints' }];
  const check = checkPool.get(String(entry['engine']));
  if (check) return check(entry, at);
  return [{ path: [...at, 'engine'], text: `engine must be one of ${engineNames.join(', ')}` }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
