import { type Static, type TSchema, Type } from 'typebox';
import { aspectRatios, resolutions } from '../../domain/generation-request.ts';
import { cogInputNames } from '../cog/cog-inputs.ts';
import { openAiVideosDialects } from '../openai-videos/openai-videos-dialect.ts';

// What the models file may hold. The same objects check it, describe every field to editors (deploy/models.schema.json)
// and give the types of what was read.

const closed = { additionalProperties: false } as const;
const sizeText = '^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$';
const modelId = '^[a-z0-9][a-z0-9._-]{0,62}$';
const aliasName = '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$';
const plainId = '^[a-z0-9][a-z0-9-]{0,62}$';
const currency = '^[A-Z]{3}$';
const decimal = '^[0-9]{1,6}(\\.[0-9]{1,6})?$';

/** What a text that a pattern refuses should be. */
export const patternSentences: Readonly<Record<string, string>> = {
  [sizeText]: 'must be a size like "1280x704"',
  [modelId]: 'must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, as `wan-2.2-ti2v-5b`',
  [aliasName]: 'must be 1 to 128 letters, digits or . _ : / -, as `sora-2`',
  [plainId]: 'must be 1 to 63 lower-case letters, digits or dashes, as `gpu-1`',
  [currency]: 'must be a currency by ISO 4217, as USD',
  [decimal]: 'must be a decimal number in quotes with at most six digits on either side of the point, as "0.02"',
};

const aliases = Type.Optional(
  Type.Array(Type.String({ pattern: aliasName }), {
    description:
      'Other names that callers may use for it, as `sora-2` or the name under which an inference server knows it. A task ' +
      'always shows the id.',
  }),
);

/** `- id: animatic` and no more: it is known what it can do. */
export const builtInModelSchema = Type.Object(
  {
    id: Type.Literal('animatic', {
      description: 'The built-in engine. It can do everything: last in the list, it closes every gap.',
    }),
    aliases,
  },
  { ...closed, description: 'The built-in model; nothing else needs to be said of it.' },
);

export const modelSchema = Type.Object(
  {
    id: Type.String({
      pattern: modelId,
      description:
        'What callers name. It stays with finished tasks for ever: give a model that renders differently a new id.',
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'For people. Default: the id.' })),
    description: Type.Optional(
      Type.String({ maxLength: 1000, description: 'For people: what it is good at. Shown by GET /v1/models.' }),
    ),
    pool: Type.String({ description: 'The id of the pool whose endpoints serve it.' }),
    aliases,
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false: it is shown as not available, never chosen, and creates that name it are refused with 503.',
      }),
    ),
    types: Type.Array(Type.Enum(['text_to_video', 'image_to_video'], { type: 'string' }), {
      minItems: 1,
      description: 'The operations that it can do.',
    }),
    resolutions: Type.Array(Type.Enum(resolutions, { type: 'string' }), {
      minItems: 1,
      description: 'The resolutions that it serves. What it renders on is its canvas; what is delivered is exact.',
    }),
    aspect_ratios: Type.Optional(
      Type.Array(Type.Enum(aspectRatios, { type: 'string' }), {
        minItems: 1,
        description: 'The aspect ratios that it serves. Default: all six.',
      }),
    ),
    durations: Type.Optional(
      Type.Object(
        {
          min: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'Seconds.' })),
          max: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 10, description: 'Seconds.' })),
        },
        { ...closed, description: 'The shortest and the longest video that it makes, in seconds. Default: 1 to 10.' },
      ),
    ),
    fps: Type.Integer({ minimum: 1, maximum: 60, description: 'Frames a second, rendered and delivered.' }),
    grid: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 128,
        multipleOf: 2,
        default: 16,
        description:
          'Both sides of the canvas are multiples of this: a size is rounded up to it, rendered, scaled to cover and cropped.',
      }),
    ),
    canvases: Type.Optional(
      Type.Record(Type.String({ pattern: sizeText }), Type.String({ pattern: sizeText }), {
        ...closed,
        description:
          'Sizes that are rendered on another canvas than the grid gives, as `"1280x720": "1280x704"`: the delivered size, then ' +
          'what the engine renders.',
      }),
    ),
    frame_step: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description:
          'The engine is asked for a multiple of this and one frame more (Wan: 4, LTX-2: 8); what is over is cut off. Default: any ' +
          'number of frames.',
      }),
    ),
    negative_prompt: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it uses negative_prompt; where not, callers are warned.' }),
    ),
    parameters: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description:
          "Sent to the engine with every job under the engine's own names, as `num_inference_steps: 30` or `guidance_scale: 5`.",
      }),
    ),
    price: Type.Optional(
      Type.Object(
        {
          currency: Type.String({ pattern: currency, description: 'ISO 4217, as `USD`.' }),
          per_second: Type.Object(
            Object.fromEntries(
              resolutions.map((resolution) => [
                resolution,
                Type.Optional(Type.String({ pattern: decimal, description: 'In quotes, as "0.02".' })),
              ]),
            ),
            { ...closed, minProperties: 1, description: 'What a second of video costs, by resolution.' },
          ),
        },
        { ...closed, description: 'Shown to callers; nothing is charged.' },
      ),
    ),
  },
  { ...closed, description: 'A model: what callers name, and what it can do.' },
);

const endpointFields = {
  id: Type.String({
    pattern: plainId,
    description: 'Unlike any other endpoint. Jobs are followed under it: give another machine another id.',
  }),
  url: Type.String({
    description: 'Where workers reach it, as `http://gpu-7.internal.example.com:5000`. Never with a password.',
  }),
};
const endpoint = Type.Object(
  {
    ...endpointFields,
    slots: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        default: 1,
        description: 'How many jobs it computes at once. A GPU computes one.',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: plainId,
        description:
          'The NAME of a token, sent as a bearer token. Its value stands in KINORA_ENGINE_TOKENS, never here.',
      }),
    ),
  },
  { ...closed, description: 'One server, for Kinora alone: no other client may use it.' },
);
const endpoints = <Item extends TSchema>(item: Item) =>
  Type.Array(item, { minItems: 1, description: 'The servers of the pool. All of them must serve the same.' });
const poolId = Type.String({ pattern: plainId, description: 'What models name as their pool.' });

const cogInputs = Object.fromEntries(
  Object.entries(cogInputNames).map(([field, name]) => [
    field,
    Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: `Its name of ${field}; null: it takes none, and nothing is sent. Default: \`${name}\`.`,
      }),
    ),
  ]),
);

/** One shape of a pool for each kind of engine. */
export const poolSchemas = {
  cog: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('cog', { description: 'Any Cog server; predictors/wan is one for Wan.' }),
      inputs: Type.Optional(
        Type.Object(cogInputs, {
          ...closed,
          description: "The predictor's names of inputs, where they are not those of predictors/wan.",
        }),
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  'openai-videos': Type.Object(
    {
      id: poolId,
      engine: Type.Literal('openai-videos', { description: 'A server with the /v1/videos shape.' }),
      // The cast keeps the names' type, which Object.keys forgets.
      dialect: Type.Enum(Object.keys(openAiVideosDialects) as (keyof typeof openAiVideosDialects)[], {
        type: 'string',
        description: 'Which server it is: they differ in what they take, and in what a cancel does.',
      }),
      model: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'The name under which the server serves the model. vLLM-Omni refuses any other.',
        }),
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  comfyui: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('comfyui', { description: 'A ComfyUI server. It has no login: private network only.' }),
      templates: Type.Object(
        {
          text_to_video: Type.Optional(Type.String({ minLength: 1, description: 'Path of the graph template.' })),
          image_to_video: Type.Optional(Type.String({ minLength: 1, description: 'Path of the graph template.' })),
        },
        {
          ...closed,
          minProperties: 1,
          description: 'The graph for each operation, as paths relative to this file. See deploy/comfyui.',
        },
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  animatic: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('animatic', { description: 'The built-in engine, on further machines.' }),
      endpoints: endpoints(
        Type.Object(endpointFields, {
          ...closed,
          description: 'An animatic process. It says itself how many slots it has.',
        }),
      ),
    },
    closed,
  ),
};

/** The whole file; for what each member holds it is looked at by the schema of its kind. */
export const modelsFileSchema = Type.Object(
  {
    models: Type.Array(Type.Union([builtInModelSchema, modelSchema]), {
      minItems: 1,
      description: 'In order: the first that can do a request serves it when the caller names none.',
    }),
    pools: Type.Optional(
      Type.Array(Type.Union(Object.values(poolSchemas)), {
        description: 'Who serves the models. The pool `animatic` exists by itself, at KINORA_ANIMATIC_URL.',
      }),
    ),
    allow_gaps: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether there may be requests that no model can do. false: the start fails and names the gap; true: such requests are ' +
          'refused with unsupported_combination.',
      }),
    ),
  },
  { ...closed, title: 'Kinora models file' },
);

export type ModelEntry = Static<typeof modelSchema>;
export type BuiltInEntry = Static<typeof builtInModelSchema>;
export type PoolEntry = Static<(typeof poolSchemas)[keyof typeof poolSchemas]>;

/** The text of `deploy/models.schema.json`. */
export function renderModelsSchema(): string {
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...modelsFileSchema }, null, 2)}\n`;
}
