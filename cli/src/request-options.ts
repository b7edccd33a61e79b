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
}

const integer = (name: string) => (text: string) => {
  if (!/^-?\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
};

/** Adds the options of a request to a command. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('-i, --image <file or URL>', 'start from this picture')
    .addOption(new Option('--resolution <p>', 'the short side').choices(['480p', '720p', '1080p']))
    .addOption(new Option('--aspect-ratio <w:h>', 'the shape').choices(['16:9', '9:16', '4:3', '3:4', '21:9', '1:1']))
    .option('--duration <seconds>', 'how long, 1 to 10', integer('duration'))
    .option('--seed <number>', 'the same seed and prompt give the same video', integer('seed'))
    .option('--model <id>', 'see `kinora models`')
    .option('--negative-prompt <text>', 'what to avoid')
    .addOption(new Option('--image-fit <how>', 'when picture and shape differ').choices(['crop', 'pad', 'stretch']));
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
    ...(image === undefined ? {} : { image: await readPicture(image) }),
  };
  return fields as TextToVideo | ImageToVideo; // undefined fields are not sent
}
