import { type Catalogue, gapsOf } from '../../domain/catalogue.ts';
import { aspectRatios } from '../../domain/generation-request.ts';
import { animatic, type Model } from '../../domain/model.ts';
import type { Size } from '../../domain/size.ts';
import { parseComfyTemplate } from '../comfyui/parse-comfyui-template.ts';
import type { EndpointDescription, EngineKind } from '../create-engine.ts';
import { type Entries, isBuiltIn, readEntries } from './models-file-entries.ts';
import { defaultGrid, plainUrl, ruleProblems, type Templates } from './models-file-rules.ts';
import type { BuiltInEntry, ModelEntry, PoolEntry } from './models-file-schema.ts';
import { type FilePath, type FileProblem, readYaml, type YamlFile } from './models-file-yaml.ts';

interface Surroundings {
  /** Tokens by their names. */
  tokens: Readonly<Record<string, string>>;
  /** Reads a file that the models file names, relative to it. Throws if there is none. */
  readNamedFile: (path: string) => string;
}

/** The models and endpoints that the operator configured. */
export interface ModelsFile {
  catalogue: Catalogue;
  /** All endpoints but the built-in one, which the file does not name. */
  endpoints: readonly EndpointDescription[];
  /** The files that it names: a change to one of them counts as a change to the models file. */
  namedFiles: readonly string[];
}

/** Lists everything that must be changed before the file can be used, one line per problem. */
export class ModelsFileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The models file has ${problems.length} problem${problems.length === 1 ? '' : 's'}.`);
    this.name = 'ModelsFileError';
    this.problems = problems;
  }
}

/** Reads the text of a models file. Throws one ModelsFileError that names every problem with its line. */
export function parseModelsFile(text: string, { tokens, readNamedFile }: Surroundings): ModelsFile {
  const yaml = readYaml(text);
  if (yaml.problems.length > 0)
    throw new ModelsFileError(yaml.problems.map(({ line, text: what }) => `line ${line}: ${what}`));
  const { entries, problems } = readEntries(yaml.value);
  const templates = readTemplates(entries, readNamedFile, problems);
  problems.push(...ruleProblems(entries, { templates, tokenNames: Object.keys(tokens) }));
  const catalogue = { models: entries.models.map(({ entry }) => (isBuiltIn(entry) ? builtIn(entry) : toModel(entry))) };
  // Any other problem leaves out an entry, which would cause gaps that the operator did not intend.
  if (problems.length === 0 && !entries.allowsGaps) problems.push(...gapProblems(catalogue));
  if (problems.length > 0) throw new ModelsFileError(describeProblems(problems, yaml));
  return {
    catalogue,
    endpoints: entries.pools.flatMap(({ entry }) => endpointsOf(entry, templates, tokens)),
    namedFiles: entries.pools.flatMap(({ entry }) =>
      entry.engine === 'comfyui' ? Object.values(entry.templates) : [],
    ),
  };
}

function describeProblems(problems: readonly FileProblem[], yaml: YamlFile): string[] {
  return problems
    .map(({ path, text }) => ({ line: yaml.lineOf(path), text: `${ownerOf(yaml.value, path)}${text}` }))
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, text }) => `line ${line}: ${text}.`.replace(/([.?])\.$/, '$1'));
}

/** Returns the model or pool that a place belongs to, by its id in the file. */
function ownerOf(value: unknown, [list, index]: FilePath): string {
  if ((list !== 'models' && list !== 'pools') || index === undefined) return '';
  const entry = (value as Record<string, { id?: unknown }[]>)[list]?.[Number(index)]; // a path that was found in it
  const kind = list === 'models' ? 'model' : 'pool';
  return typeof entry?.id === 'string' ? `${kind} ${entry.id}: ` : `${kind} ${Number(index) + 1}: `;
}

function gapProblems(catalogue: Catalogue): FileProblem[] {
  const gaps = gapsOf(catalogue);
  const [first] = gaps;
  if (!first) return [];
  const { resolution, aspectRatio, durationSeconds, type } = first;
  const more = gaps.length === 1 ? '' : ` (and ${gaps.length - 1} more)`;
  const text =
    `no model serves ${resolution} ${aspectRatio} ${durationSeconds} s ${type}${more}: add a model that does, list ` +
    '`- id: animatic` last, or set allow_gaps: true';
  return [{ path: ['models'], text }];
}

function readTemplates(
  { pools }: Entries,
  readNamedFile: (path: string) => string,
  problems: FileProblem[],
): Map<string, Templates> {
  const found = new Map<string, Templates>();
  for (const { at, entry } of pools) {
    if (entry.engine !== 'comfyui') continue;
    const before = problems.length;
    const read = (name: 'text_to_video' | 'image_to_video') => {
      const path = entry.templates[name];
      if (path === undefined) return null;
      const report = (text: string) =>
        problems.push({ path: [...at, 'templates', name], text: `templates.${name}: ${text}` });
      const parsed = parseFile(path, readNamedFile);
      if (parsed === null) report(`the file ${path} cannot be read: paths are relative to the models file`);
      else if (!parsed.isValid) for (const problem of parsed.problems) report(`${path}: ${problem}`);
      else return parsed.template;
      return null;
    };
    const templates = { textToVideo: read('text_to_video'), imageToVideo: read('image_to_video') };
    if (problems.length === before) found.set(entry.id, templates);
  }
  return found;
}

function parseFile(path: string, readNamedFile: (path: string) => string) {
  try {
    return parseComfyTemplate(readNamedFile(path));
  } catch {
    return null;
  }
}

function builtIn({ aliases = [] }: BuiltInEntry): Model {
  return { ...animatic, aliases };
}

function toModel(entry: ModelEntry): Model {
  const { min = 1, max = 10 } = entry.durations ?? {};
  return {
    id: entry.id,
    name: entry.name ?? entry.id,
    description: entry.description ?? '',
    pool: entry.pool,
    aliases: entry.aliases ?? [],
    isEnabled: entry.enabled ?? true,
    types: entry.types,
    resolutions: entry.resolutions,
    aspectRatios: entry.aspect_ratios ?? aspectRatios,
    shortestSeconds: min,
    longestSeconds: max,
    fps: entry.fps,
    grid: entry.grid ?? defaultGrid,
    canvases: Object.fromEntries(Object.entries(entry.canvases ?? {}).map(([size, canvas]) => [size, toSize(canvas)])),
    frameStep: entry.frame_step ?? null,
    usesNegativePrompt: entry.negative_prompt ?? false,
    parameters: entry.parameters ?? {},
    price: entry.price ? { currency: entry.price.currency, perSecond: entry.price.per_second } : null,
  };
}

function toSize(text: string): Size {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
}

function endpointsOf(
  pool: PoolEntry,
  templates: ReadonlyMap<string, Templates>,
  tokens: Readonly<Record<string, string>>,
): EndpointDescription[] {
  const kind = kindOf(pool, templates);
  return pool.endpoints.map((endpoint) => ({
    id: endpoint.id,
    pool: pool.id,
    url: plainUrl(endpoint.url),
    slots: 'slots' in endpoint ? (endpoint.slots ?? 1) : 1,
    token: 'token' in endpoint && endpoint.token !== undefined ? (tokens[endpoint.token] ?? null) : null,
    ...kind,
  }));
}

function kindOf(pool: PoolEntry, templates: ReadonlyMap<string, Templates>): EngineKind {
  switch (pool.engine) {
    case 'animatic':
      return { engine: pool.engine };
    case 'cog':
      return { engine: pool.engine, inputs: pool.inputs ?? {} };
    case 'openai-videos':
      return { engine: pool.engine, dialect: pool.dialect, model: pool.model ?? null };
    case 'comfyui':
      return { engine: pool.engine, templates: templates.get(pool.id) ?? { textToVideo: null, imageToVideo: null } };
  }
}
