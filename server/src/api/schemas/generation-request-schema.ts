import { Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import {
  aspectRatios,
  imageFits,
  requestDefaults,
  requestLimits,
  resolutions,
} from '../../domain/generation-request.ts';

/** What all bodies of creates have in common. */
export const requestRules =
  'Only `prompt` and, for image to video, the image are required. Types are strict: `"5"` is not `5`. A field that ' +
  'is null counts as absent. Unknown fields are ignored with a warning.';

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
    'What the video should show: 1 to 2000 characters after trimming. With a test key, directives in the prompt ' +
    'force an outcome: `[[fail:CODE]]`, `[[fail-once:CODE]]`, `[[delay:SECONDS]]`, `[[stall]]`, `[[lose]]`.',
});

const options = {
  resolution: Type.Optional(
    Type.Enum(resolutions, {
      type: 'string',
      description: `The resolution of the video. Default: ${requestDefaults.resolution}.`,
    }),
  ),
  aspect_ratio: Type.Optional(
    Type.Enum(aspectRatios, {
      type: 'string',
      description:
        'The ratio of width to height. Default: 16:9, or for image to video the one that is nearest to the image.',
    }),
  ),
  duration: Type.Optional(
    Type.Integer({
      ...requestLimits.durationSeconds,
      description: `The length of the video in seconds. Default: ${requestDefaults.durationSeconds}.`,
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      ...requestLimits.seed,
      description:
        'The same request with the same seed makes the same video. If it is -1 or absent, the service chooses a ' +
        'random seed and shows it in the task. Engines receive it modulo 2^32.',
    }),
  ),
  model: Type.Optional(
    Type.String({ description: 'The id or alias of a model. Default: the first model that supports the request.' }),
  ),
  negative_prompt: Type.Optional(
    Type.String({
      maxLength: requestLimits.promptCodePoints,
      description: 'What the video should not show. If the model cannot use it, the task has a warning.',
    }),
  ),
  image_fit: Type.Optional(
    Type.Enum(imageFits, {
      type: 'string',
      description:
        'How an image of another aspect ratio is fitted into the video. `crop`: its edges are cut off. `pad`: bars ' +
        `are added. \`stretch\`: it is distorted. Default: ${requestDefaults.imageFit}.`,
    }),
  ),
  callback_url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'An https URL that receives the events of this task, signed with the callback secret of the project. The ' +
        'task does not show it.',
    }),
  ),
  callback_events: Type.Optional(
    Type.Array(Type.Enum([...eventTypes], { type: 'string' }), {
      minItems: 1,
      maxItems: 100,
      description: 'The events that `callback_url` receives. Default: all.',
    }),
  ),
  metadata: metadataField(
    'Up to 16 pairs of strings of your own, at most 4 kB together. The task shows them unchanged.',
  ),
};

const imageUrl = Type.String({
  minLength: 1,
  description:
    'The image: an https URL, a `data:image/…;base64,` URI or the id of an uploaded file. It must be a JPEG, PNG or ' +
    'WebP with 300 to 6000 pixels per side and a ratio of width to height from 0.4 to 2.5, of at most 20 MB by URL ' +
    'and 10 MB inline. It is fetched once, while the task is created.',
});

export const textToVideoSchema = Type.Object(
  {
    prompt,
    ...options,
    image_url: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Ignored with a warning, so that the same body works for both operations. To use an image, call ' +
          'image-to-video.',
      }),
    ),
  },
  {
    $id: 'TextToVideoRequest',
    description: requestRules,
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
    description: requestRules,
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
