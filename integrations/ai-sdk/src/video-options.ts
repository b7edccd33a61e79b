import { InvalidArgumentError, type SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { TextToVideo } from '@kinora/sdk';

/** The options in `providerOptions.kinora`. */
export type KinoraVideoOptions = {
  /** What the video should not show. If the model does not support it, the result has a warning. */
  negative_prompt?: string;
  /** How to fit an image whose aspect ratio differs from the video's. Default: `crop`. */
  image_fit?: 'crop' | 'pad' | 'stretch';
  /** The resolution without an aspect ratio. The call's `resolution` overrides it. */
  resolution?: '480p' | '720p' | '1080p';
  /** At most 16 pairs of strings, returned with the task. */
  metadata?: Record<string, string>;
  /** The events that are sent to the webhook. Default: completed, failed and cancelled. */
  callback_events?: NonNullable<TextToVideo['callback_events']>;
  /**
   * The same key with the same request always returns the same task, for example after a crash. Do not set it if `n` is
   * above 1.
   */
  idempotencyKey?: string;
  /**
   * Whether an abort after the start cancels the task with `poll`, `webhook` and `startVideo`. By default it only ends
   * the waiting. A plain `generateVideo` always cancels the task.
   */
  cancelOnAbort?: boolean;
};

/** The provider options: those that this package uses itself, and the `fields` that it sends to the service. */
export interface ReadVideoOptions {
  idempotencyKey: string | undefined;
  cancelOnAbort: boolean;
  fields: Partial<TextToVideo>;
}

/** Reads this provider's options from the options of a call. */
export function readVideoOptions(providerOptions: SharedV4ProviderOptions): ReadVideoOptions {
  const { idempotencyKey, cancelOnAbort, ...fields } = providerOptions.kinora ?? {};
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') throw wrong('idempotencyKey', 'a string');
  if (cancelOnAbort !== undefined && typeof cancelOnAbort !== 'boolean') throw wrong('cancelOnAbort', 'a boolean');
  // The fields are not checked here: the service rejects a wrong type with 400 and warns of an unknown field.
  return { idempotencyKey, cancelOnAbort: cancelOnAbort ?? false, fields };
}

function wrong(name: string, expected: string): InvalidArgumentError {
  const argument = `providerOptions.kinora.${name}`;
  return new InvalidArgumentError({ argument, message: `${argument} must be ${expected}.` });
}
