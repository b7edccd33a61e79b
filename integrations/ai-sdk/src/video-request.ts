import { type Experimental_VideoModelV4CallOptions, InvalidPromptError, type SharedV4Warning } from '@ai-sdk/provider';
import type { TextToVideo } from '@kinora/sdk';
import { imageOf } from './image-file.ts';
import { readVideoOptions } from './video-options.ts';
import { sizeOf } from './video-size.ts';

/** The options of a call, and the URL that is called when the task has ended. */
export type VideoCallOptions = Experimental_VideoModelV4CallOptions & { webhookUrl?: string | undefined };

/** A call of the AI SDK, translated for the service. */
export interface VideoRequest {
  request: TextToVideo;
  /** The URL or the bytes of the first frame. */
  image: string | Uint8Array | undefined;
  idempotencyKey: string | undefined;
  cancelOnAbort: boolean;
  /** One warning per setting of the call that is ignored or changed. */
  warnings: SharedV4Warning[];
}

/** With this model id, the service chooses the model. */
export const defaultModelId = 'default';

/** Translates a call of the AI SDK. */
export function videoRequestOf(modelId: string, options: VideoCallOptions): VideoRequest {
  const { prompt, duration, seed, providerOptions, headers = {}, webhookUrl } = options;
  if (prompt === undefined || prompt.trim() === '') {
    throw new InvalidPromptError({ prompt, message: 'A prompt is needed, with an image too: say what should move.' });
  }
  const { idempotencyKey, cancelOnAbort, fields } = readVideoOptions(providerOptions);
  const firstFrame = options.frameImages?.find(({ frameType }) => frameType === 'first_frame')?.image;
  const image = firstFrame ?? options.image;
  const { size, warnings } = sizeOf(options, image !== undefined);
  const keyHeader = Object.entries(headers).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  const request: TextToVideo = {
    ...fields,
    prompt,
    ...size,
    ...(modelId === defaultModelId ? {} : { model: modelId }),
    ...(duration === undefined ? {} : { duration }),
    ...(seed === undefined ? {} : { seed }),
    // By default only the end is reported, because the AI SDK treats the first webhook as the end.
    ...(webhookUrl === undefined ? {} : { callback_url: webhookUrl, callback_events: fields.callback_events ?? ends }),
  };
  return {
    request,
    image: image && imageOf(image),
    idempotencyKey: idempotencyKey ?? keyHeader,
    cancelOnAbort,
    warnings: [...warnings, ...ignored(options)],
  };
}

const ends: NonNullable<TextToVideo['callback_events']> = ['video.completed', 'video.failed', 'video.cancelled'];

/** Returns a warning for each setting that the service does not support. */
function ignored({
  n,
  fps,
  generateAudio,
  frameImages = [],
  inputReferences = [],
}: VideoCallOptions): SharedV4Warning[] {
  const found: [isSet: boolean, feature: string, details: string][] = [
    [n > 1, 'n', 'A call makes one video. Leave maxVideosPerCall alone, and the AI SDK makes several calls.'],
    [fps !== undefined, 'fps', 'The frames per second are those of the model.'],
    [generateAudio !== undefined, 'generateAudio', 'Whether a video has sound depends on the model.'],
    [
      frameImages.some(({ frameType }) => frameType === 'last_frame'),
      'frameImages',
      'The last frame cannot be chosen.',
    ],
    [inputReferences.length > 0, 'inputReferences', 'Only a first frame can be given, as an image.'],
  ];
  return found.flatMap(([isSet, feature, details]) => (isSet ? [{ type: 'unsupported', feature, details }] : []));
}
