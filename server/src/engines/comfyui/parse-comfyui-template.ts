import {
  type ComfyGraph,
  type ComfyInput,
  type ComfyNode,
  type ComfyTemplate,
  optionalBindings,
  requiredBindings,
} from './comfyui-template.ts';

type ParsedComfyTemplate =
  | { isValid: true; template: ComfyTemplate }
  /** One sentence per problem, which says what to change in the file. */
  | { isValid: false; problems: readonly string[] };

const fields = ['name', 'description', 'bindings', 'parameters', 'output', 'grid', 'frame_step', 'models', 'graph'];
const bindingNames: readonly string[] = [...requiredBindings, ...optionalBindings];

/** Parses the file of a graph template; returns all problems of a file that cannot be used. */
export function parseComfyTemplate(text: string): ParsedComfyTemplate {
  const problems: string[] = [];
  const file = parseJson(text);
  if (!isObject(file)) return { isValid: false, problems: ['The file must hold one JSON object.'] };
  for (const field of Object.keys(file)) {
    if (!fields.includes(field)) problems.push(`There is no field "${field}": remove it, or use ${list(fields)}.`);
  }

  const graph = parseGraph(file['graph'], problems);
  const template: ComfyTemplate = {
    name: parseName(file['name'], problems),
    graph,
    bindings: parseBindings(file['bindings'], graph, problems),
    parameters: parseInputLists('parameters', file['parameters'] ?? {}, graph, problems),
    output: parseOutput(file['output'], graph, problems),
    grid: parseStep('grid', file['grid'], problems),
    frameStep: parseStep('frame_step', file['frame_step'], problems),
    models: parseModels(file['models'] ?? {}, problems),
  };
  return problems.length > 0 ? { isValid: false, problems } : { isValid: true, template };
}

function parseName(value: unknown, problems: string[]): string {
  if (typeof value === 'string' && value !== '') return value;
  problems.push('"name" must be a text: every message about this template names it.');
  return '';
}

function parseGraph(value: unknown, problems: string[]): ComfyGraph {
  if (!isObject(value) || Object.keys(value).length === 0) {
    problems.push('"graph" must be the object that ComfyUI writes with "Export (API)".');
    return {};
  }
  const nodes = Object.entries(value).flatMap(([id, node]): [string, ComfyNode][] => {
    if (isNode(node)) return [[id, { class_type: node.class_type, inputs: node.inputs }]];
    problems.push(
      `The node "${id}" has no "class_type" or no "inputs": export the graph with "Export (API)", not "Export".`,
    );
    return [];
  });
  for (const [id, { inputs }] of nodes) {
    for (const [input, linked] of Object.entries(inputs)) {
      if (isLink(linked) && !Object.hasOwn(value, linked[0])) {
        problems.push(
          `The input "${input}" of the node "${id}" is linked to "${linked[0]}", but there is no such node.`,
        );
      }
    }
  }
  return Object.fromEntries(nodes);
}

function parseBindings(value: unknown, graph: ComfyGraph, problems: string[]): ComfyTemplate['bindings'] {
  const lists = parseInputLists('bindings', value, graph, problems);
  for (const name of Object.keys(lists)) {
    if (bindingNames.includes(name)) continue;
    problems.push(`"bindings" has no "${name}": use ${list(bindingNames)}, and "parameters" for everything else.`);
  }
  for (const name of requiredBindings) {
    if (isObject(value) && lists[name] === undefined) {
      problems.push(`"bindings" lacks "${name}": name the inputs that take it, such as ["7.${name}"].`);
    }
  }
  return lists; // other names are reported above
}

function parseInputLists(
  field: string,
  value: unknown,
  graph: ComfyGraph,
  problems: string[],
): Record<string, readonly ComfyInput[]> {
  if (!isObject(value)) {
    problems.push(`"${field}" must be an object of lists, such as { "seed": ["7.seed"] }.`);
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inputs]) => [name, parseInputs(`"${field}.${name}"`, inputs, graph, problems)]),
  );
}

function parseInputs(where: string, value: unknown, graph: ComfyGraph, problems: string[]): ComfyInput[] {
  if (!Array.isArray(value) || value.length === 0) {
    problems.push(`${where} must be a list of inputs, each written as "node.input".`);
    return [];
  }
  return value.flatMap((entry: unknown): ComfyInput[] => {
    const dot = typeof entry === 'string' ? entry.indexOf('.') : -1;
    if (typeof entry !== 'string' || dot < 1) {
      problems.push(`${where} must name inputs as "node.input", such as "7.seed".`);
      return [];
    }
    const [node, input] = [entry.slice(0, dot), entry.slice(dot + 1)];
    const inputs = Object.hasOwn(graph, node) ? graph[node]?.inputs : undefined;
    if (!inputs) problems.push(`${where} names the node "${node}", which the graph does not have.`);
    else if (!Object.hasOwn(inputs, input))
      problems.push(`${where} names "${entry}", but the node "${node}" has only ${list(Object.keys(inputs))}.`);
    else if (isLink(inputs[input]))
      problems.push(`${where} names "${entry}", which is linked to another node: bind an input that holds a value.`);
    else return [{ node, input }];
    return [];
  });
}

function parseOutput(value: unknown, graph: ComfyGraph, problems: string[]): string {
  if (typeof value === 'string' && Object.hasOwn(graph, value)) return value;
  problems.push('"output" must be the id of the node that saves the video, such as "10".');
  return '';
}

function parseStep(field: string, value: unknown, problems: string[]): number {
  if (value === undefined) return 1;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 512) return value;
  problems.push(`"${field}" must be a whole number from 1 to 512.`);
  return 1;
}

function parseModels(value: unknown, problems: string[]): Record<string, readonly string[]> {
  if (!isObject(value) || !Object.values(value).every(isListOfText)) {
    problems.push('"models" must list files by folder, such as { "vae": ["wan2.2_vae.safetensors"] }.');
    return {};
  }
  return value as Record<string, readonly string[]>; // every value was checked
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNode(value: unknown): value is ComfyNode {
  return isObject(value) && typeof value['class_type'] === 'string' && isObject(value['inputs']);
}

/** Whether an input's value is another node's output. */
export function isLink(value: unknown): value is [string, number] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'number';
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry !== '');
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
