import { Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import {
  aspectRatios,
  imageFits,
  requestDefaults,
  requestLimits,
  resolutions,
} from '../../domain/generation-request.ts';

/** Returns the schema of pairs of strings. Type.Record would not check keys with a line break: its pattern skips them. */
export const metadataField = (description: string) =>
  Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: requestLimits.metadata.pairs,
      propertyNames: { minLength: 1, maxLength: requestLimits.metadata.keyCodePoints },
      additionalProperties: { type: 'string', maxLength: requestLimits.metadata.valueCodePoints },
      description,
    }),
  );

const prompt = Type.String({
  minLength: 1,
  maxLength: requestLimits.promptCodePoints,
  description:
    'Text describing the video to generate: 1 to 2000 characters after trimming. With a test key, directives in it force an ' +
    'outcome: `[[fail:CODE]]`, `[[fail-once:CODE]]`, `[[delay:SECONDS]]`, `[[stall]]`, `[[lose]]`.',
});

const options = {
  resolution: Type.Optional(Type.Enum(resolutions, { type: 'string', default: requestDefaults.resolution })),
  aspect_ratio: Type.Optional(
    Type.Enum(aspectRatios, {
      type: 'string',
      description: 'Default 16:9; for image to video the nearest of the six to the image.',
    }),
  ),
  duration: Type.Optional(
    Type.Integer({
      ...requestLimits.durationSeconds,
      default: requestDefaults.durationSeconds,
      description: 'Seconds.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      ...requestLimits.seed,
      description:
        'The same seed reproduces the same result. -1 or absent: random, and echoed. Engines get it modulo 2^32.',
    }),
  ),
  model: Type.Optional(Type.String({ description: 'Default: the first model that can do the request.' })),
  negative_prompt: Type.Optional(
    Type.String({
      maxLength: requestLimits.promptCodePoints,
      description: 'What to avoid. A model that cannot use it says so in `warnings`.',
    }),
  ),
  image_fit: Type.Optional(
    Type.Enum(imageFits, {
      type: 'string',
      default: requestDefaults.imageFit,
      description: 'What happens when image and aspect ratio differ.',
    }),
  ),
  callback_url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'An https URL that the events of this task are sent to, signed with the callback secret of the project. It is not ' +
        'part of the task that callers read.',
    }),
  ),
  callback_events: Type.Optional(
    Type.Array(Type.Enum([...eventTypes], { type: 'string' }), {
      minItems: 1,
      maxItems: 100,
      description: 'Which events are sent to callback_url. Default: all.',
    }),
  ),
  metadata: metadataField('Up to 16 pairs of strings, 4 kB in all; echoed in the task.'),
};

const imageUrl = Type.String({
  minLength: 1,
  description:
    'An https URL, a `data:image/…;base64,` URI or the id of an uploaded file. A JPEG, PNG or WebP: 300 to 6000 px a side, ' +
    'ratio 0.4 to 2.5, at most 20 MB by URL and 10 MB inline. Fetched once, while the task is created.',
});

export const textToVideoSchema = Type.Object(
  {
    prompt,
    ...options,
    image_url: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Ignored with a warning: one payload serves both operations.' }),
    ),
  },
  {
    $id: 'TextToVideoRequest',
    description: 'Types are strict, null means absent, unknown fields are ignored with a warning.',
    examples: [
      {
        prompt: 'A paper boat drifts down a rain-soaked street',
        resolution: '720p',
        aspect_ratio: '16:9',
        duration: 5,
      },
    ],
  },
);

export const imageToVideoSchema = Type.Object(
  { prompt, image_url: imageUrl, ...options },
  {
    $id: 'ImageToVideoRequest',
    description: 'Types are strict, null means absent, unknown fields are ignored with a warning.',
    examples: [
      {
        prompt: 'The camera slowly moves in',
        image_url: 'https://example.com/boat.jpg',
        resolution: '720p',
        duration: 5,
      },
    ],
  },
);

/** Every known field, in the order in which problems are listed. */
export const knownFields: readonly string[] = Object.keys(imageToVideoSchema.properties);
