import type { EventType } from './event.ts';

export const resolutions = ['480p', '720p', '1080p'] as const;
export type Resolution = (typeof resolutions)[number];

export const aspectRatios = ['16:9', '9:16', '4:3', '3:4', '21:9', '1:1'] as const;
export type AspectRatio = (typeof aspectRatios)[number];

export const imageFits = ['crop', 'pad', 'stretch'] as const;
export type ImageFit = (typeof imageFits)[number];

export type GenerationType = 'text_to_video' | 'image_to_video';

/** What a warning is about. The codes are public, so they never change. */
export type WarningCode =
  | 'ignored_directive'
  | 'ignored_parameter'
  | 'model_not_served'
  | 'prompt_not_understood'
  | 'seed_reduced'
  | 'size_adjusted'
  | 'unknown_parameter'
  | 'unsupported_parameter';

/** Something that may not do what the caller meant. It is stored with the task and returned with it. */
export interface Warning {
  code: WarningCode;
  param: string | null;
  message: string;
}

/** A caller's request after validation, with every default that does not depend on the image. */
export interface GenerationRequest {
  prompt: string;
  negativePrompt: string | null;
  /** An https URL, a data URI, a file's id, or `upload:` and the SHA-256 of sent bytes; null for text to video. */
  imageUrl: string | null;
  resolution: Resolution;
  /** Null means the ratio nearest to the image's. */
  aspectRatio: AspectRatio | null;
  durationSeconds: number;
  /** Null means random. */
  seed: number | null;
  /** Null means the first model in the operator's order that supports the request. */
  model: string | null;
  imageFit: ImageFit;
  metadata: Record<string, string>;
  /** Where the events of this task are sent; null means nowhere. */
  callbackUrl: string | null;
  /** Which events are sent to `callbackUrl`; null means all. */
  callbackEvents: readonly EventType[] | null;
}

/** The limits of a request's fields. */
export const requestLimits = {
  promptCodePoints: 2000,
  durationSeconds: { minimum: 1, maximum: 10 },
  seed: { minimum: -1, maximum: Number.MAX_SAFE_INTEGER },
  metadata: { pairs: 16, keyCodePoints: 64, valueCodePoints: 512, bytes: 4096 },
  /** A megabyte is 1,000,000 bytes. */
  imageMegabytes: { storedOrFetched: 20, inline: 10 },
} as const;

export const requestDefaults = {
  resolution: '720p',
  aspectRatio: '16:9',
  durationSeconds: 5,
  imageFit: 'crop',
} as const satisfies Partial<GenerationRequest>;

/** Engines take seeds of 32 bits. */
const engineSeedCount = 2 ** 32;

/** The ratio that changes an image least, compared as factors, so that tall and wide images are treated alike. */
export function nearestAspectRatio(width: number, height: number): AspectRatio {
  const distance = (ratio: AspectRatio) => Math.abs(Math.log(width / height / valueOf(ratio)));
  return aspectRatios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Returns the seed that an engine gets for a task's seed. */
export function engineSeed(seed: number): number {
  return seed % engineSeedCount;
}

function valueOf(ratio: AspectRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}
