import { type EngineHttp, unexpected } from '../engine-http.ts';
import type { ComfyNode, ComfyTemplate } from './comfyui-template.ts';
import { isLink } from './parse-comfyui-template.ts';

type Specs = Record<string, unknown>;

/** Compares a template with a server's nodes and model files; returns a sentence per mismatch that says what to do. */
export async function checkComfyTemplate(
  http: Pick<EngineHttp, 'request'>,
  template: ComfyTemplate,
): Promise<string[]> {
  const classes = [...new Set(Object.values(template.graph).map(({ class_type }) => class_type))];
  const infos = new Map(
    await Promise.all(
      classes.map(async (name): Promise<[string, Specs | null]> => [name, await fetchNode(http, name)]),
    ),
  );
  const problems: string[] = [];
  for (const [name, info] of infos) {
    if (info === null) {
      problems.push(
        `The template "${template.name}" uses the node ${name}, which this ComfyUI does not have: update ComfyUI, or install the custom node that provides it.`,
      );
    }
  }
  for (const [id, node] of Object.entries(template.graph)) {
    const info = infos.get(node.class_type);
    if (info) problems.push(...checkNode(template, id, node, info));
  }
  return [...problems, ...(await checkModels(http, template))];
}

/** Returns the inputs of a node; null if the server has no such node, to which it responds with an empty object. */
async function fetchNode(http: Pick<EngineHttp, 'request'>, name: string): Promise<Specs | null> {
  const { status, json } = await http.request(`/object_info/${encodeURIComponent(name)}`);
  if (status !== 200) throw unexpected('a request for a node', status);
  const info = objectIn(json, name);
  return info && objectIn(info, 'input');
}

function checkNode(template: ComfyTemplate, id: string, node: ComfyNode, specs: Specs): string[] {
  const where = `The node "${id}" (${node.class_type}) of the template "${template.name}"`;
  // What every job fills in, so not the parameters: without a value in the models file, the template's stays.
  const filled = Object.values(template.bindings).flat();
  const isFilled = (name: string): boolean => filled.some(({ node: of, input }) => of === id && input === name);
  const known = knownInputs(specs, node.inputs);
  const problems: string[] = [];
  for (const name of Object.keys(objectIn(specs, 'required') ?? {})) {
    if (node.inputs[name] === undefined)
      problems.push(`${where} lacks the input "${name}", which this ComfyUI requires: export the graph from it again.`);
  }
  const files = new Set(Object.values(template.models).flat());
  for (const [name, value] of Object.entries(node.inputs)) {
    const options = known.get(name);
    if (options === undefined) {
      problems.push(
        `${where} has the input "${name}", which this ComfyUI does not know: remove it, or update ComfyUI.`,
      );
    } else if (options !== null && !isFilled(name) && !isLink(value) && !options.includes(value)) {
      // `checkModels` reports a missing model file, together with its folder.
      if (typeof value === 'string' && files.has(value)) continue;
      const some = options.slice(0, 8).map(String).join(', ');
      problems.push(`${where} sets "${name}" to "${String(value)}", but this ComfyUI offers ${some || 'nothing'}.`);
    }
  }
  return problems;
}

/** Returns the inputs that a node takes, with the values that each offers; null if it takes any value. */
function knownInputs(specs: Specs, values: ComfyNode['inputs']): Map<string, readonly unknown[] | null> {
  const known = new Map<string, readonly unknown[] | null>();
  const add = (group: Specs | null, prefix: string): void => {
    for (const [name, spec] of Object.entries(group ?? {})) {
      const [type, details] = Array.isArray(spec) ? (spec as unknown[]) : []; // each entry is checked below
      // Older versions of ComfyUI had these inputs without a prefix, and newer ones still accept them like that.
      const names = prefix === '' ? [name] : [`${prefix}.${name}`, name];
      const options = optionsOf(type, details);
      for (const each of names) known.set(each, options?.map(keyOf) ?? null);
      const chosen = names.map((each) => values[each]).find((value) => value !== undefined);
      const nested = options?.find((option) => typeof option === 'object' && keyOf(option) === chosen);
      const inputs = nested ? objectIn(nested, 'inputs') : null;
      if (inputs) for (const part of ['required', 'optional']) add(objectIn(inputs, part), names[0] ?? name);
      if (typeof type === 'string' && type.startsWith('COMFY_') && options === null) {
        // The number of these inputs depends on the links to the node, such as "images.image0".
        for (const grown of Object.keys(values)) if (grown.startsWith(`${name}.`)) known.set(grown, null);
      }
    }
  };
  for (const part of ['required', 'optional']) add(objectIn(specs, part), '');
  return known;
}

/** Returns the values that an input offers. Old nodes list them in place of the type; newer ones beside it. */
function optionsOf(type: unknown, details: unknown): readonly unknown[] | null {
  if (Array.isArray(type)) return type;
  const options = typeof details === 'object' && details !== null && 'options' in details ? details.options : null;
  return typeof type === 'string' && type.includes('COMBO') && Array.isArray(options) ? options : null;
}

/** Returns the name of an offered value: a value that adds inputs of its own is an object with a key. */
function keyOf(option: unknown): unknown {
  return typeof option === 'object' && option !== null && 'key' in option ? option.key : option;
}

async function checkModels(http: Pick<EngineHttp, 'request'>, { name, models }: ComfyTemplate): Promise<string[]> {
  const folders = await Promise.all(
    Object.entries(models).map(async ([folder, files]) => {
      const { status, json } = await http.request(`/models/${encodeURIComponent(folder)}`);
      if (status !== 200 && status !== 404) throw unexpected('a request for model files', status);
      const present = status === 200 && Array.isArray(json) ? json.map(withSlashes) : [];
      return files
        .filter((file) => !present.includes(withSlashes(file)))
        .map((file) => `The template "${name}" loads "${file}": put it into ComfyUI's folder models/${folder}.`);
    }),
  );
  return folders.flat();
}

/** ComfyUI on Windows lists a file in a subfolder with backslashes. */
function withSlashes(file: unknown): string {
  return String(file).replaceAll('\\', '/');
}

function objectIn(value: unknown, key: string): Specs | null {
  const found = typeof value === 'object' && value !== null ? (value as Specs)[key] : null; // an object has keys
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Specs) : null;
}
