import type { ImageToVideo, TextToVideo } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from './exit-codes.ts';
import { readPicture } from './read-picture.ts';

/** The options of a request, as commander parses them. */
export interface RequestOptions {
  image?: string;
  resolution?: TextToVideo['resolution'];
  aspectRatio?: TextToVideo['aspect_ratio'];
  duration?: number;
  seed?: number;
  model?: string;
  negativePrompt?: string;
  imageFit?: ImageToVideo['image_fit'];
  metadata?: Record<string, string>;
  callbackUrl?: string;
}

const integer = (name: string) => (text: string) => {
  if (!/^-?\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
};

/** Adds the value of one `--metadata` to those before it. */
export function keyAndValue(text: string, others: Record<string, string> = {}): Record<string, string> {
  const [key = '', ...rest] = text.split('=');
  if (key === '' || rest.length === 0) throw new UsageError(`--metadata must look like key=value, not "${text}".`);
  return { ...others, [key]: rest.join('=') };
}

/** Adds the prompt and the options of a request; the service's defaults are described but not sent. */
export function addRequestOptions(command: Command): Command {
  return (
    command
      .argument('<prompt>', 'what the video should show')
      // Words without quotes arrive as several arguments: `quotedPrompt` says what to do about it.
      .allowExcessArguments()
      .option('-i, --image <file or URL>', 'start from this picture')
      .addOption(new Option('--resolution <p>', 'short side (default: 720p)').choices(['480p', '720p', '1080p']))
      .addOption(
        new Option('--aspect-ratio <w:h>', 'aspect ratio (default: 16:9, or the nearest to the picture)').choices([
          '16:9',
          '9:16',
          '4:3',
          '3:4',
          '21:9',
          '1:1',
        ]),
      )
      .option('--duration <seconds>', 'length, 1 to 10 (default: 5)', integer('duration'))
      .option('--seed <number>', 'the same seed and prompt give the same video (default: random)', integer('seed'))
      .option('--model <id>', 'see `kinora models` (default: the first suitable one)')
      .option('--negative-prompt <text>', 'what to avoid')
      .addOption(
        new Option('--image-fit <how>', 'how to fit a picture with a different aspect ratio (default: crop)').choices([
          'crop',
          'pad',
          'stretch',
        ]),
      )
      .option('--metadata <key=value>', 'text to store with the task; repeat it for more', keyAndValue)
      .option('--callback-url <URL>', 'an https URL that gets the events of this task')
  );
}

/** Returns the prompt, or says what to do if the user forgot to quote it. */
export function quotedPrompt({ args }: Command): string {
  const [prompt = '', ...more] = args;
  if (more.length > 0) {
    throw new UsageError(`Quote the prompt, because it has spaces: "${args.join(' ')}".`);
  }
  return prompt;
}

/** Returns the request to send. A local image is read. */
export async function requestOf(prompt: string, options: RequestOptions): Promise<TextToVideo | ImageToVideo> {
  const { image, aspectRatio, negativePrompt, imageFit, resolution, duration, seed, model } = options;
  const fields = {
    prompt,
    resolution,
    aspect_ratio: aspectRatio,
    duration,
    seed,
    model,
    negative_prompt: negativePrompt,
    image_fit: imageFit, // without an image the service ignores it, with a warning
    metadata: options.metadata,
    callback_url: options.callbackUrl,
    ...(image === undefined ? {} : { image: await readPicture(image) }),
  };
  return fields as TextToVideo | ImageToVideo; // undefined fields are not sent
}
