import { renderOpenapi } from './render-openapi.ts';

interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

interface Parameter {
  name: string;
  description: string;
  schema: Schema;
}

interface Document {
  paths: Record<string, Record<string, { parameters: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** The request fields that a model may set. Callbacks and metadata are for programs. */
const requestFields = [
  'prompt',
  'image_url',
  'resolution',
  'aspect_ratio',
  'duration',
  'seed',
  'model',
  'negative_prompt',
  'image_fit',
];
const listFields = ['limit', 'after', 'status', 'type', 'model', 'resolution', 'aspect_ratio', 'q'];
/** The task fields that a model sees: those that it can act on, because every field takes up space in its context. */
const taskFields = [
  'task_id',
  'type',
  'status',
  'is_final',
  'stage',
  'progress',
  'queue_position',
  'estimated_completion_at',
  'model',
  'prompt',
  'negative_prompt',
  'resolution',
  'aspect_ratio',
  'duration',
  'seed',
  'size',
  'created_at',
  'completed_at',
  'expires_at',
  'video_url',
  'error',
  'warnings',
];

/** Renders the schemas of `kinora mcp` from the OpenAPI document: nothing about the service is typed by hand. */
export async function renderMcpSchemas(): Promise<string> {
  const document = JSON.parse(await renderOpenapi()) as Document; // our own document
  const { schemas } = document.components;
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...rest } = node as Schema;
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
    if (name !== undefined) return resolve({ ...schemas[name], ...rest });
    const { examples: _, ...kept } = rest;
    // A newer service may return values that are not in this list; its responses must still be valid.
    if (String(kept.description).endsWith('More values may be added.')) delete kept['enum'];
    return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, resolve(value)]));
  };
  const component = (name: string) => resolve(schemas[name]) as Schema; // resolving an object returns an object
  const request = pick(component('ImageToVideoRequest'), requestFields);
  const parameters = document.paths['/v1/videos']?.['get']?.parameters ?? [];
  const list = listFields.map((field) => {
    const parameter = parameters.find(({ name }) => name === field);
    if (!parameter) throw new Error(`GET /v1/videos has no parameter ${field}`);
    return [field, { ...(resolve(parameter.schema) as Schema), description: parameter.description }];
  });
  const found = {
    requestFields: request.properties,
    listFields: Object.fromEntries(list),
    task: pick(component('AnyTask'), taskFields),
    model: component('Model'),
  };
  const text = JSON.stringify(found, null, 2);
  return `// Written by scripts/generate.ts from the description of the API.\nexport const contract = ${text};\n`;
}

function pick({ properties = {}, required = [] }: Schema, fields: readonly string[]): Schema {
  const missing = fields.filter((field) => !(field in properties));
  if (missing.length > 0) throw new Error(`the contract has no ${missing.join(', ')}`);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, properties[field] ?? {}])),
    required: fields.filter((field) => required.includes(field)),
  };
}
