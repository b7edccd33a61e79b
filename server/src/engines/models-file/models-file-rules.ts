import { aspectRatios } from '../../domain/generation-request.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import { sizeOf } from '../../domain/size.ts';
import type { ComfyTemplate } from '../comfyui/comfyui-template.ts';
import { builtInPool, type Entries, isBuiltIn, type Placed } from './models-file-entries.ts';
import type { ModelEntry } from './models-file-schema.ts';
import type { FilePath, FileProblem } from './models-file-yaml.ts';

export const defaultGrid = 16;

export interface Templates {
  textToVideo: ComfyTemplate | null;
  imageToVideo: ComfyTemplate | null;
}

interface Surroundings {
  tokenNames: readonly string[];
  /** The templates of each ComfyUI pool, if they could be read. */
  templates: ReadonlyMap<string, Templates>;
}

/** Returns the problems between entries that are valid by themselves. */
export function ruleProblems(entries: Entries, { tokenNames, templates }: Surroundings): FileProblem[] {
  return [
    ...nameProblems(entries),
    ...endpointProblems(entries, tokenNames),
    ...entries.models.flatMap((placed) => {
      const { at, entry } = placed;
      if (isBuiltIn(entry)) return [];
      const own = { at, entry };
      return [
        ...poolProblems(own, entries.poolIds),
        ...rangeProblems(own),
        ...canvasProblems(own),
        ...templateProblems(own, templates.get(entry.pool)),
      ];
    }),
  ];
}

/** Each name must mean one thing, whether it is an id or an alias. */
function nameProblems({ models, pools }: Entries): FileProblem[] {
  const ids = models.map(({ entry }) => entry.id);
  const problems = [
    ...repeated(models.map(({ at, entry }) => ({ name: entry.id, path: [...at, 'id'] }))).map(({ name, path }) => ({
      path,
      text: `id ${name} is taken by another model: choose another one`,
    })),
    ...repeated(pools.map(({ at, entry }) => ({ name: entry.id, path: [...at, 'id'] }))).map(({ name, path }) => ({
      path,
      text: `id ${name} is taken by another pool: choose another one`,
    })),
  ];
  const aliases = models.flatMap(({ at, entry }) =>
    (entry.aliases ?? []).map((name, index) => ({ name, path: [...at, 'aliases', index] })),
  );
  for (const { name, path } of aliases) {
    if (ids.includes(name)) problems.push({ path, text: `alias ${name} is the id of a model: remove it` });
  }
  for (const { name, path } of repeated(aliases))
    problems.push({ path, text: `alias ${name} is listed twice: one name can only mean one model` });
  for (const { at, entry } of pools) {
    if (entry.id === builtInPool)
      problems.push({ path: [...at, 'id'], text: `id ${builtInPool} is the built-in pool: choose another one` });
  }
  return problems;
}

function endpointProblems({ pools }: Entries, tokenNames: readonly string[]): FileProblem[] {
  const endpoints = pools.flatMap(({ at, entry }) =>
    entry.endpoints.map((endpoint, index) => ({ endpoint, at: [...at, 'endpoints', index] })),
  );
  const problems: FileProblem[] = [];
  const ids = endpoints.map(({ endpoint, at }) => ({ name: endpoint.id, path: [...at, 'id'] }));
  for (const { name, path } of repeated([{ name: builtInPool, path: [] }, ...ids]))
    problems.push({ path, text: `endpoint id ${name} is taken: choose another one` });
  for (const { endpoint, at } of endpoints) {
    const problem = urlProblem(endpoint.url);
    if (problem) problems.push({ path: [...at, 'url'], text: `endpoint ${endpoint.id}: ${problem}` });
    if (!('token' in endpoint) || endpoint.token === undefined || tokenNames.includes(endpoint.token)) continue;
    const text = `endpoint ${endpoint.id}: KINORA_ENGINE_TOKENS has no token ${endpoint.token}: add ${endpoint.token}=… there`;
    problems.push({ path: [...at, 'token'], text });
  }
  const urls = endpoints.map(({ endpoint, at }) => ({ name: plainUrl(endpoint.url), path: [...at, 'url'] }));
  for (const { path } of repeated(urls))
    problems.push({ path, text: 'another endpoint has this url: list each server once, with its slots' });
  return problems;
}

/** Says what is wrong with a URL without repeating it: it may contain a password. */
function urlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'url must be an http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'url must not contain a user name or password: put a token into KINORA_ENGINE_TOKENS and name it under token';
  if (url.search !== '' || url.hash !== '') return 'url must not contain ? or #';
  return null;
}

export function plainUrl(url: string): string {
  return url.replace(/\/+$/, '');
}

function poolProblems({ at, entry }: Placed<ModelEntry>, pools: readonly string[]): FileProblem[] {
  if (pools.includes(entry.pool)) return [];
  const nearest = nearestName(entry.pool, pools);
  const hint = nearest ? `did you mean ${nearest}?` : `add it under pools, or use one of ${pools.join(', ')}`;
  return [{ path: [...at, 'pool'], text: `pool ${entry.pool} does not exist: ${hint}` }];
}

function rangeProblems({ at, entry }: Placed<ModelEntry>): FileProblem[] {
  const { min = 1, max = 10 } = entry.durations ?? {};
  const problems: FileProblem[] = [];
  if (min > max) problems.push({ path: [...at, 'durations'], text: `durations: min ${min} is above max ${max}` });
  for (const resolution of Object.keys(entry.price?.per_second ?? {})) {
    if (!entry.resolutions.some((served) => served === resolution))
      problems.push({
        path: [...at, 'price', 'per_second', resolution],
        text: `price.per_second.${resolution}: the model does not serve ${resolution}: remove it, or add it to resolutions`,
      });
  }
  return problems;
}

function canvasProblems({ at, entry }: Placed<ModelEntry>): FileProblem[] {
  const { grid = defaultGrid, resolutions, aspect_ratios: ratios = aspectRatios } = entry;
  const sizes = resolutions.flatMap((resolution) =>
    ratios.map((ratio) => {
      const { width, height } = sizeOf(resolution, ratio);
      return `${width}x${height}`;
    }),
  );
  return Object.entries(entry.canvases ?? {}).flatMap(([size, canvas]): FileProblem[] => {
    const path = [...at, 'canvases', size];
    if (!sizes.includes(size))
      return [
        { path, text: `canvases.${size} is not a size that the model delivers: it delivers ${sizes.join(', ')}` },
      ];
    const isOnGrid = canvas.split('x').every((side) => Number(side) >= grid && Number(side) % grid === 0);
    if (isOnGrid) return [];
    return [{ path, text: `canvases.${size}: both sides of ${canvas} must be multiples of the grid, ${grid}` }];
  });
}

/** ComfyUI silently changes sizes and lengths that its nodes cannot render, so a model must fit its templates. */
function templateProblems({ at, entry }: Placed<ModelEntry>, templates: Templates | undefined): FileProblem[] {
  if (!templates) return [];
  const problems: FileProblem[] = [];
  const add = (field: string, text: string) => problems.push({ path: [...at, field], text: `${field}: ${text}` });
  for (const type of entry.types) {
    const template = type === 'text_to_video' ? templates.textToVideo : templates.imageToVideo;
    if (!template) {
      add('types', `its pool ${entry.pool} has no template for ${type}: add one, or remove ${type}`);
      continue;
    }
    const { name, grid, frameStep, parameters } = template;
    if ((entry.grid ?? defaultGrid) % grid !== 0) add('grid', `must be a multiple of ${grid} for the template ${name}`);
    if (entry.frame_step === undefined ? frameStep !== 1 : entry.frame_step % frameStep !== 0)
      add('frame_step', `must be a multiple of ${frameStep} for the template ${name}`);
    for (const parameter of Object.keys(entry.parameters ?? {})) {
      if (Object.hasOwn(parameters, parameter)) continue;
      const known = Object.keys(parameters);
      const hint = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
      add('parameters', `the template ${name} has no parameter ${parameter}: ${hint}`);
    }
  }
  return problems;
}

/** Returns all but the first of each name. */
function repeated(named: readonly { name: string; path: FilePath }[]): { name: string; path: FilePath }[] {
  const seen = new Set<string>();
  return named.filter(({ name }) => {
    const isSeen = seen.has(name);
    seen.add(name);
    return isSeen;
  });
}
