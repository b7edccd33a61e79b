import { Type } from 'typebox';
import { requestDefaults, requestLimits } from '../../domain/generation-request.ts';
import { openAiSizes } from '../../domain/openai-size.ts';
import { imageToVideoSchema } from './generation-request-schema.ts';

// Fields that OpenAI-compatible requests have other names for are left out: they are accepted but not advertised.
const shared = Type.Omit(imageToVideoSchema, ['image_url', 'resolution', 'aspect_ratio', 'duration']).properties;
const { minimum, maximum } = requestLimits.durationSeconds;

const secondsText = Type.String({ pattern: '^([1-9]|10)$' });
const secondsDescription = `"${minimum}" to "${maximum}"; default "${requestDefaults.durationSeconds}".`;
const size = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,5}x[0-9]{1,5}$',
    examples: ['1280x720'],
    description:
      `Width and height, as \`1280x720\`. What is within 15 % of one of these is delivered as it, with a warning: ` +
      `${openAiSizes.join(', ')}. Instead of it \`resolution\` and \`aspect_ratio\` can be sent.`,
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
          Type.Object({ image_url: Type.String({ minLength: 1 }) }),
          Type.Object({ file_id: Type.String({ pattern: '^file_' }) }),
        ],
        { description: 'An https URL, a `data:image/…;base64,` URI or a file id. It makes this image to video.' },
      ),
    ),
  },
  {
    $id: 'OpenAiVideoRequest',
    description: 'Types are strict, null means absent, unknown fields are ignored with a warning.',
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
      Type.String({ pattern: '^(-1|[0-9]{1,15})$', description: 'In digits; -1 or absent: random.' }),
    ),
    input_reference: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'string',
        format: 'binary',
        description: 'An image file, which makes this image to video; or as text a URL or file id.',
      }),
    ),
  },
  {
    $id: 'OpenAiVideoForm',
    description: 'The same as a form: every field is a string, `metadata[key]` is a pair of the metadata.',
  },
);
