import { type Static, type TSchema, Type } from 'typebox';
import { aspectRatios, resolutions } from '../../domain/generation-request.ts';
import { cogInputNames } from '../cog/cog-inputs.ts';
import { openAiVideosDialects } from '../openai-videos/openai-videos-dialect.ts';

// Validates the models file, describes it to editors (deploy/models.schema.json) and gives the types of its entries.

const closed = { additionalProperties: false } as const;
const sizeText = '^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$';
const modelId = '^[a-z0-9][a-z0-9._-]{0,62}$';
const aliasName = '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$';
const plainId = '^[a-z0-9][a-z0-9-]{0,62}$';
const currency = '^[A-Z]{3}$';
const decimal = '^[0-9]{1,6}(\\.[0-9]{1,6})?$';

/** Says for each pattern what a text must be. */
export const patternSentences: Readonly<Record<string, string>> = {
  [sizeText]: 'must be a size like "1280x704"',
  [modelId]: 'must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, such as `wan-2.2-ti2v-5b`',
  [aliasName]: 'must be 1 to 128 letters, digits or . _ : / -, such as `sora-2`',
  [plainId]: 'must be 1 to 63 lower-case letters, digits or dashes, such as `gpu-1`',
  [currency]: 'must be an ISO 4217 currency code, such as USD',
  [decimal]: 'must be a decimal number in quotes with at most six digits on either side of the point, such as "0.02"',
};

const aliases = Type.Optional(
  Type.Array(Type.String({ pattern: aliasName }), {
    description:
      'Other names that callers may use for the model, such as `sora-2` or its name on an inference server. A task always ' +
      'shows the id.',
  }),
);

/** The entry `- id: animatic`. It has no other required fields, because its capabilities are known. */
export const builtInModelSchema = Type.Object(
  {
    id: Type.Literal('animatic', {
      description: 'The built-in engine. It supports every request, so as the last model it closes every gap.',
    }),
    aliases,
  },
  { ...closed, description: 'The built-in model; it needs no other fields.' },
);

export const modelSchema = Type.Object(
  {
    id: Type.String({
      pattern: modelId,
      description:
        'The name that callers use. Finished tasks keep it permanently, so give a model that renders differently a new id.',
    }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'A name for people to read. Default: the id.' }),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'For people to read: what the model is good at. Shown by GET /v1/models.',
      }),
    ),
    pool: Type.String({ description: 'The id of the pool whose endpoints serve the model.' }),
    aliases,
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'If false, the model is shown as not available and never chosen, and creates that name it are refused with 503.',
      }),
    ),
    types: Type.Array(Type.Enum(['text_to_video', 'image_to_video'], { type: 'string' }), {
      minItems: 1,
      description: 'The operations that the model supports.',
    }),
    resolutions: Type.Array(Type.Enum(resolutions, { type: 'string' }), {
      minItems: 1,
      description: 'The resolutions that the model serves. It renders on a canvas; the delivered size is exact.',
    }),
    aspect_ratios: Type.Optional(
      Type.Array(Type.Enum(aspectRatios, { type: 'string' }), {
        minItems: 1,
        description: 'The aspect ratios that the model serves. Default: all six.',
      }),
    ),
    durations: Type.Optional(
      Type.Object(
        {
          min: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'In seconds.' })),
          max: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 10, description: 'In seconds.' })),
        },
        {
          ...closed,
          description: 'The shortest and the longest video that the model makes, in seconds. Default: 1 to 10.',
        },
      ),
    ),
    fps: Type.Integer({ minimum: 1, maximum: 60, description: 'Frames per second, rendered and delivered.' }),
    grid: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 128,
        multipleOf: 2,
        default: 16,
        description:
          'Both sides of the canvas are multiples of this. A size is rounded up to the canvas, rendered there, scaled to cover ' +
          'and cropped.',
      }),
    ),
    canvases: Type.Optional(
      Type.Record(Type.String({ pattern: sizeText }), Type.String({ pattern: sizeText }), {
        ...closed,
        description:
          'Sizes that need a canvas other than the one the grid gives, such as `"1280x720": "1280x704"`: the delivered size, then the ' +
          'size that the engine renders.',
      }),
    ),
    frame_step: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description:
          'Kinora requests a multiple of this plus one frame (Wan: 4, LTX-2: 8) and cuts off the surplus. Default: any number ' +
          'of frames.',
      }),
    ),
    negative_prompt: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the model uses negative_prompt; if not, callers get a warning.',
      }),
    ),
    parameters: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description:
          "Sent to the engine with every job, under the engine's own names, such as `num_inference_steps: 30` or `guidance_scale: 5`.",
      }),
    ),
    price: Type.Optional(
      Type.Object(
        {
          currency: Type.String({ pattern: currency, description: 'An ISO 4217 code, such as `USD`.' }),
          per_second: Type.Object(
            Object.fromEntries(
              resolutions.map((resolution) => [
                resolution,
                Type.Optional(
                  Type.String({ pattern: decimal, description: 'A decimal number in quotes, such as "0.02".' }),
                ),
              ]),
            ),
            { ...closed, minProperties: 1, description: 'The price of one second of video, by resolution.' },
          ),
        },
        { ...closed, description: 'Shown to callers; Kinora charges nothing.' },
      ),
    ),
  },
  { ...closed, description: 'A model: the name that callers use, and what it supports.' },
);

const endpointFields = {
  id: Type.String({
    pattern: plainId,
    description: 'Unique among all endpoints. Jobs are followed by this id, so give another machine another id.',
  }),
  url: Type.String({
    description:
      'The URL where workers reach it, such as `http://gpu-7.internal.example.com:5000`. It must not contain a password.',
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
        description: 'How many jobs it runs at once. A GPU runs one.',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: plainId,
        description:
          'The NAME of a token that is sent as a bearer token. Its value is set in KINORA_ENGINE_TOKENS, never here.',
      }),
    ),
  },
  { ...closed, description: 'One server, used by Kinora alone: no other client may use it.' },
);
const endpoints = <Item extends TSchema>(item: Item) =>
  Type.Array(item, { minItems: 1, description: 'The servers of the pool. All of them must serve the same models.' });
const poolId = Type.String({ pattern: plainId, description: 'The id that models use in `pool`.' });

const cogInputs = Object.fromEntries(
  Object.entries(cogInputNames).map(([field, name]) => [
    field,
    Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: `The predictor's name for ${field}. Null means that it has no such input, so nothing is sent. Default: \`${name}\`.`,
      }),
    ),
  ]),
);

/** The schema of a pool, by the kind of its engine. */
export const poolSchemas = {
  cog: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('cog', { description: 'Any Cog server; predictors/wan is a predictor for Wan.' }),
      inputs: Type.Optional(
        Type.Object(cogInputs, {
          ...closed,
          description: "The predictor's names for its inputs, if they differ from those of predictors/wan.",
        }),
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  'openai-videos': Type.Object(
    {
      id: poolId,
      engine: Type.Literal('openai-videos', { description: 'A server with an OpenAI-compatible /v1/videos API.' }),
      // The cast keeps the names' type, which Object.keys forgets.
      dialect: Type.Enum(Object.keys(openAiVideosDialects) as (keyof typeof openAiVideosDialects)[], {
        type: 'string',
        description: 'The kind of server. They differ in the fields that they accept and in what a cancel does.',
      }),
      model: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'The name under which the server serves the model. vLLM-Omni refuses any other name.',
        }),
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  comfyui: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('comfyui', {
        description: 'A ComfyUI server. It has no login, so keep it on a private network.',
      }),
      templates: Type.Object(
        {
          text_to_video: Type.Optional(Type.String({ minLength: 1, description: 'Path of the graph template.' })),
          image_to_video: Type.Optional(Type.String({ minLength: 1, description: 'Path of the graph template.' })),
        },
        {
          ...closed,
          minProperties: 1,
          description: 'The graph for each operation, as a path relative to this file. See deploy/comfyui.',
        },
      ),
      endpoints: endpoints(endpoint),
    },
    closed,
  ),
  animatic: Type.Object(
    {
      id: poolId,
      engine: Type.Literal('animatic', { description: 'The built-in engine on additional machines.' }),
      endpoints: endpoints(
        Type.Object(endpointFields, {
          ...closed,
          description: 'An animatic process. It reports by itself how many slots it has.',
        }),
      ),
    },
    closed,
  ),
};

/** The whole file, for editors. To report problems, `readEntries` checks each entry by the schema of its kind. */
export const modelsFileSchema = Type.Object(
  {
    models: Type.Array(Type.Union([builtInModelSchema, modelSchema]), {
      minItems: 1,
      description:
        'The order matters: if the caller names no model, the first one that supports the request serves it.',
    }),
    pools: Type.Optional(
      Type.Array(Type.Union(Object.values(poolSchemas)), {
        description: 'The pools that serve the models. The pool `animatic` always exists, at KINORA_ANIMATIC_URL.',
      }),
    ),
    allow_gaps: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether there may be requests that no model supports. If false, the process does not start and names the gap; if true, ' +
          'such requests are refused with unsupported_combination.',
      }),
    ),
  },
  { ...closed, title: 'Kinora models file' },
);

export type ModelEntry = Static<typeof modelSchema>;
export type BuiltInEntry = Static<typeof builtInModelSchema>;
export type PoolEntry = Static<(typeof poolSchemas)[keyof typeof poolSchemas]>;

/** Returns the text of `deploy/models.schema.json`. */
export function renderModelsSchema(): string {
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...modelsFileSchema }, null, 2)}\n`;
}
