import { InvalidArgumentError, type SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { TextToVideo } from '@kinora/sdk';

/** What `providerOptions.kinora` takes. */
export type KinoraVideoOptions = {
  /** What to avoid. A model that cannot use it says so in a warning. */
  negative_prompt?: string;
  /** What happens when image and aspect ratio differ. Default: `crop`. */
  image_fit?: 'crop' | 'pad' | 'stretch';
  /** The resolution without a ratio; a `resolution` in pixels wins. */
  resolution?: '480p' | '720p' | '1080p';
  /** Up to 16 pairs of strings, echoed in the task. */
  metadata?: Record<string, string>;
  /** Which events go to the webhook. Default: those that end the task. */
  callback_events?: NonNullable<TextToVideo['callback_events']>;
  /** The same key and request always mean the same task: for a call that is repeated after a crash. With `n` above 1 give none. */
  idempotencyKey?: string;
  /**
   * For `poll`, `webhook` and `startVideo`: an abort after the start cancels the task. Without it an abort there only ends the
   * waiting. A plain `generateVideo` always cancels.
   */
  cancelOnAbort?: boolean;
};

/** The options apart: what this package acts upon, and what goes into the request, where the service itself checks it. */
export interface ReadVideoOptions {
  idempotencyKey: string | undefined;
  cancelOnAbort: boolean;
  fields: Partial<TextToVideo>;
}

/** Takes the options of this provider out of those of the call. */
export function readVideoOptions(providerOptions: SharedV4ProviderOptions): ReadVideoOptions {
  const { idempotencyKey, cancelOnAbort, ...fields } = providerOptions.kinora ?? {};
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') throw wrong('idempotencyKey', 'a string');
  if (cancelOnAbort !== undefined && typeof cancelOnAbort !== 'boolean') throw wrong('cancelOnAbort', 'a boolean');
  // Whatever it really is: the service answers a wrong type with 400, and an unknown field with a warning that names it.
  return { idempotencyKey, cancelOnAbort: cancelOnAbort ?? false, fields };
}

function wrong(name: string, expected: string): InvalidArgumentError {
  const argument = `providerOptions.kinora.${name}`;
  return new InvalidArgumentError({ argument, message: `${argument} must be ${expected}.` });
}
