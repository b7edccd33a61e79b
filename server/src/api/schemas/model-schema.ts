import { type Static, Type } from 'typebox';
import { aspectRatios, resolutions } from '../../domain/generation-request.ts';
import { listOf } from './list-schema.ts';
import { nullable } from './schema-parts.ts';

const capabilities = Type.Object(
  {
    types: Type.Array(Type.Enum(['text_to_video', 'image_to_video'], { type: 'string' })),
    resolutions: Type.Array(Type.Enum(resolutions, { type: 'string' })),
    aspect_ratios: Type.Array(Type.Enum(aspectRatios, { type: 'string' })),
    durations: Type.Object(
      { min: Type.Integer(), max: Type.Integer() },
      { description: 'The shortest and the longest video, in seconds.' },
    ),
    fps: Type.Integer({ description: 'Frames a second of the delivered video.' }),
    negative_prompt: Type.Boolean({ description: 'Whether negative_prompt has an effect.' }),
  },
  { description: 'Every combination of these can be asked for; any other is refused with unsupported_combination.' },
);

const price = Type.Object(
  {
    currency: Type.String({ description: 'ISO 4217, as `USD`.' }),
    per_second: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What a second of video costs, as a decimal number by resolution.',
    }),
  },
  { description: 'It informs; nothing is charged.' },
);

const speed = Type.Object({
  resolution: Type.Enum(resolutions, { type: 'string' }),
  duration: Type.Integer({ description: 'Seconds of video.' }),
  p50_seconds: Type.Number({ description: 'Median seconds from start to completion.' }),
  p90_seconds: Type.Number({ description: '90th percentile of the seconds from start to completion.' }),
  samples: Type.Integer({ description: 'How many tasks this was measured on.' }),
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
    id: Type.String({ description: 'Send it as `model`.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Always 0; for clients that expect it.' }),
    owned_by: Type.Literal('kinora'),
    name: Type.String(),
    description: Type.String(),
    aliases: Type.Array(Type.String(), { description: 'Other names that `model` may have. A task shows the id.' }),
    available: Type.Boolean({
      description:
        'Whether a server would take a task for it right now. While it is only busy or away, creates are accepted and wait.',
    }),
    is_default: Type.Boolean({
      description:
        'Whether it serves a text prompt without any other field. Other requests may be served by another one.',
    }),
    capabilities,
    price: nullable(price),
    speeds: Type.Array(speed, { description: 'Measured on the newest completed tasks, where there were enough.' }),
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
