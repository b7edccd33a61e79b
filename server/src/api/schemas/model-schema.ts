import { type Static, Type } from 'typebox';
import { aspectRatios, resolutions } from '../../domain/generation-request.ts';
import { listOf } from '../../http/list-schema.ts';
import { nullable, objectKind } from '../../http/schema-parts.ts';

const capabilities = Type.Object(
  {
    types: Type.Array(Type.Enum(['text_to_video', 'image_to_video'], { type: 'string' }), {
      description: 'What the model makes videos from.',
    }),
    resolutions: Type.Array(Type.Enum(resolutions, { type: 'string' }), { description: 'The supported resolutions.' }),
    aspect_ratios: Type.Array(Type.Enum(aspectRatios, { type: 'string' }), {
      description: 'The supported aspect ratios.',
    }),
    durations: Type.Object(
      {
        min: Type.Integer({ description: 'The shortest video, in seconds.' }),
        max: Type.Integer({ description: 'The longest video, in seconds.' }),
      },
      { description: 'The supported durations.' },
    ),
    fps: Type.Integer({ description: 'Frames per second of the finished video.' }),
    negative_prompt: Type.Boolean({ description: 'Whether `negative_prompt` has an effect.' }),
  },
  {
    description:
      'What the model supports. Every combination of these values is accepted; any other is refused with ' +
      '`unsupported_combination`.',
  },
);

const price = Type.Object(
  {
    currency: Type.String({ description: 'The ISO 4217 code of the currency, such as `USD`.' }),
    per_second: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The price of one second of video as a decimal number, by resolution.',
    }),
  },
  { description: 'The price list of the model. Kinora itself charges nothing. Null if the model has no price.' },
);

const speed = Type.Object({
  resolution: Type.Enum(resolutions, { type: 'string', description: 'The resolution of the measured tasks.' }),
  duration: Type.Integer({ description: 'The length of their videos in seconds.' }),
  p50_seconds: Type.Number({ description: 'Median seconds from start to completion.' }),
  p90_seconds: Type.Number({ description: '90th percentile of the seconds from start to completion.' }),
  samples: Type.Integer({ description: 'The number of measured tasks.' }),
});

const exampleModel = {
  id: 'wan-2.2-ti2v-5b',
  object: 'model',
  created: 0,
  owned_by: 'kinora',
  name: 'Wan 2.2 TI2V 5B',
  description: 'Text and image to video at 720p, 24 frames a second.',
  aliases: ['sora-2'],
  available: true,
  is_default: true,
  capabilities: {
    types: ['text_to_video', 'image_to_video'],
    resolutions: ['480p', '720p'],
    aspect_ratios: [...aspectRatios],
    durations: { min: 1, max: 5 },
    fps: 24,
    negative_prompt: true,
  },
  price: { currency: 'USD', per_second: { '480p': '0.01', '720p': '0.02' } },
  speeds: [{ resolution: '720p', duration: 5, p50_seconds: 61.4, p90_seconds: 74.9, samples: 120 }],
};

export const modelSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the model. Send it as `model`.' }),
    object: objectKind('model'),
    created: Type.Integer({ description: 'Always 0. OpenAI-compatible clients expect this field.' }),
    owned_by: Type.Literal('kinora', { description: 'Always `kinora`. OpenAI-compatible clients expect this field.' }),
    name: Type.String({ description: 'The name of the model, for people.' }),
    description: Type.String({ description: 'What the model is good for, in the words of the operator.' }),
    aliases: Type.Array(Type.String(), { description: 'Other names that `model` accepts. A task shows the id.' }),
    available: Type.Boolean({
      description:
        'Whether an engine for this model accepts tasks right now. If not, tasks are still accepted and wait.',
    }),
    is_default: Type.Boolean({
      description:
        'Whether a request with only a prompt uses this model. Requests with other fields may use another model.',
    }),
    capabilities,
    price: nullable(price),
    speeds: Type.Array(speed, {
      description: 'How long recent tasks took, for each resolution and duration with enough completed tasks.',
    }),
  },
  { $id: 'Model', description: 'A model of this installation.', examples: [exampleModel] },
);

export type PublicModel = Static<typeof modelSchema>;

export const modelListSchema = listOf(modelSchema, 'ModelList', [
  { object: 'list', data: [exampleModel], first_id: exampleModel.id, last_id: exampleModel.id, has_more: false },
]);

export const modelIdParameter = Type.Object({
  model_id: Type.String({ description: 'The `id` of a model, or one of its aliases.', examples: ['animatic'] }),
});
