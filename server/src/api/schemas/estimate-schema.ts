import { type Static, Type } from 'typebox';
import { aspectRatios, imageFits, resolutions } from '../../domain/generation-request.ts';
import { nullable, objectKind, reference } from '../../http/schema-parts.ts';
import { imageToVideoSchema, textToVideoSchema } from './generation-request-schema.ts';
import { priceSchema, taskMetadata, warningSchema } from './task-schema.ts';

export const estimateSchema = Type.Object(
  {
    object: objectKind('video.estimate'),
    type: Type.Enum(['text_to_video', 'image_to_video'], {
      type: 'string',
      description: 'What the video would be made from: `image_to_video` if `image_url` is set.',
    }),
    request: Type.Object(
      {
        model: Type.String({ description: 'The id of the model that would render the video.' }),
        prompt: Type.String({ description: 'The prompt, trimmed.' }),
        negative_prompt: nullable(
          Type.String({ description: 'What the video should not show. Null if none was sent.' }),
        ),
        resolution: Type.Enum(resolutions, { type: 'string', description: 'The resolution of the video.' }),
        aspect_ratio: nullable(
          Type.Enum(aspectRatios, {
            type: 'string',
            description: 'The ratio of width to height. Null if the image will decide it.',
          }),
        ),
        duration: Type.Integer({ description: 'The length of the video in seconds.' }),
        seed: nullable(Type.Integer({ description: 'The seed. Null if it will be random.' })),
        seconds: Type.String({
          description: 'The same as `duration`, as a string: OpenAI-compatible clients expect it.',
        }),
        size: nullable(
          Type.String({
            description: 'Width and height in pixels, such as `1280x720`. Null if the image will decide them.',
          }),
        ),
        image_fit: nullable(
          Type.Enum(imageFits, {
            type: 'string',
            description: 'How an image of another aspect ratio would be fitted. Null for text to video.',
          }),
        ),
        metadata: taskMetadata,
      },
      { description: 'The request as a create would resolve it.' },
    ),
    warnings: Type.Array(reference(warningSchema), { description: 'The warnings that the task would have.' }),
    price: nullable(
      reference(priceSchema),
      'What the task would cost. Null if the model has no price, and in test mode.',
    ),
    expected_seconds: nullable(
      Type.Number({
        description:
          'Median seconds from start to completion of similar tasks. Null until enough tasks were measured, and in ' +
          'test mode.',
      }),
    ),
  },
  {
    $id: 'Estimate',
    description: 'The task that the same request would create.',
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
