import { Type } from 'typebox';
import { requestDefaults, requestLimits } from '../../domain/generation-request.ts';
import { openAiSizes } from '../../domain/openai-size.ts';
import { imageToVideoSchema, requestRules } from './generation-request-schema.ts';

// Fields that OpenAI-compatible requests have other names for are left out: they are accepted but not advertised.
const shared = Type.Omit(imageToVideoSchema, ['image_url', 'resolution', 'aspect_ratio', 'duration']).properties;
const { minimum, maximum } = requestLimits.durationSeconds;

const secondsText = Type.String({ pattern: '^([1-9]|10)$' });
const secondsDescription =
  `The length of the video in seconds, "${minimum}" to "${maximum}". ` +
  `Default: "${requestDefaults.durationSeconds}".`;
const size = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,5}x[0-9]{1,5}$',
    examples: ['1280x720'],
    description:
      `Width and height in pixels, such as \`1280x720\`. A size within 15 % of one of these becomes that size, with a ` +
      `warning: ${openAiSizes.join(', ')}. You can send \`resolution\` and \`aspect_ratio\` instead.`,
  }),
);

export const openAiVideoSchema = Type.Object(
  {
    ...shared,
    seconds: Type.Optional(
      Type.Union([secondsText, Type.Integer({ minimum, maximum })], { description: secondsDescription }),
    ),
    size,
    input_reference: Type.Optional(
      Type.Union(
        [
          Type.String({ minLength: 1 }),
          Type.Object(
            { image_url: Type.String({ minLength: 1, description: 'An https URL or a `data:image/…;base64,` URI.' }) },
            { description: 'An image by its URL.' },
          ),
          Type.Object(
            { file_id: Type.String({ pattern: '^file_', description: 'The id of an uploaded file.' }) },
            { description: 'An uploaded image.' },
          ),
        ],
        {
          description:
            'The image for image to video: an https URL, a `data:image/…;base64,` URI or the id of an uploaded file.',
        },
      ),
    ),
  },
  {
    $id: 'OpenAiVideoRequest',
    description: requestRules,
    examples: [{ prompt: 'A paper boat drifts down a rain-soaked street', seconds: '4', size: '1280x720' }],
  },
);

const { prompt, model, negative_prompt, image_fit } = shared;

export const openAiVideoFormSchema = Type.Object(
  {
    prompt,
    model,
    negative_prompt,
    image_fit,
    seconds: Type.Optional(Type.String({ pattern: '^([1-9]|10)$', description: secondsDescription })),
    size,
    seed: Type.Optional(
      Type.String({
        pattern: '^(-1|[0-9]{1,15})$',
        description: 'The seed in digits. If it is -1 or absent, the service chooses a random seed.',
      }),
    ),
    input_reference: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'string',
        format: 'binary',
        description: 'The image for image to video: a file, or as text a URL or the id of an uploaded file.',
      }),
    ),
  },
  {
    $id: 'OpenAiVideoForm',
    description:
      'The same request as a form. Every field is a string, and `metadata[key]` sets one pair of the metadata.',
  },
);
