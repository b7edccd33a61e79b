import { type Static, Type } from 'typebox';
import { aspectRatios, imageFits, resolutions } from '../../domain/generation-request.ts';
import { imageToVideoSchema, textToVideoSchema } from './generation-request-schema.ts';
import { nullable, reference } from './schema-parts.ts';
import { priceSchema, warningSchema } from './task-schema.ts';

export const estimateSchema = Type.Object(
  {
    object: Type.Literal('video.estimate'),
    type: Type.Enum(['text_to_video', 'image_to_video'], {
      type: 'string',
      description: 'By whether image_url is set.',
    }),
    request: Type.Object(
      {
        model: Type.String(),
        prompt: Type.String(),
        negative_prompt: nullable(Type.String()),
        resolution: Type.Enum(resolutions, { type: 'string' }),
        aspect_ratio: nullable(
          Type.Enum(aspectRatios, { type: 'string', description: 'Null where it will follow from the image.' }),
        ),
        duration: Type.Integer({ description: 'Seconds.' }),
        seed: nullable(Type.Integer({ description: 'Null where it will be random.' })),
        seconds: Type.String({ description: 'duration as text.' }),
        size: nullable(Type.String({ description: 'As `1280x720`; null where it will follow from the image.' })),
        image_fit: nullable(Type.Enum(imageFits, { type: 'string', description: 'Null for text to video.' })),
        metadata: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      },
      { description: 'The request as a create would resolve it.' },
    ),
    warnings: Type.Array(reference(warningSchema)),
    price: nullable(reference(priceSchema)),
    expected_seconds: nullable(
      Type.Number({
        description: 'Median seconds from start to completion. Null until enough tasks were measured.',
      }),
    ),
  },
  {
    $id: 'Estimate',
    description: 'What a create with the same body would do. price is null where the model has none, and in test mode.',
    examples: [
      {
        object: 'video.estimate',
        type: 'text_to_video',
        request: {
          model: 'animatic',
          prompt: 'A paper boat drifts down a rain-soaked street',
          negative_prompt: null,
          resolution: '720p',
          aspect_ratio: '16:9',
          duration: 5,
          seed: null,
          seconds: '5',
          size: '1280x720',
          image_fit: null,
          metadata: {},
        },
        warnings: [],
        price: null,
        expected_seconds: null,
      },
    ],
  },
);

export type PublicEstimate = Static<typeof estimateSchema>;

/** The body of either create operation. */
export const estimateRequestSchema = Type.Unsafe<unknown>({
  anyOf: [reference(textToVideoSchema), reference(imageToVideoSchema)],
});
