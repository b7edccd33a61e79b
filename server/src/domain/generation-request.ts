import type { EventType } from './event.ts';

export const resolutions = ['480p', '720p', '1080p'] as const;
export type Resolution = (typeof resolutions)[number];

export const aspectRatios = ['16:9', '9:16', '4:3', '3:4', '21:9', '1:1'] as const;
export type AspectRatio = (typeof aspectRatios)[number];

export const imageFits = ['crop', 'pad', 'stretch'] as const;
export type ImageFit = (typeof imageFits)[number];

export type GenerationType = 'text_to_video' | 'image_to_video';

/** Something that was accepted but not as the caller may have meant it. Stored with the task and echoed. */
export interface Warning {
  code: string;
  param: string | null;
  message: string;
}

/** What a caller asked for, checked, with the defaults that need no look at the image. */
export interface GenerationRequest {
  prompt: string;
  negativePrompt: string | null;
  /** An https URL, a data URI, the id of an uploaded file, or `upload:` and the SHA-256 of bytes that came along; null for text to video. */
  imageUrl: string | null;
  resolution: Resolution;
  /** Null: the nearest of the six to the image. */
  aspectRatio: AspectRatio | null;
  durationSeconds: number;
  /** Null: random. */
  seed: number | null;
  /** Null: the first model in the operator's order that can do it. */
  model: string | null;
  imageFit: ImageFit;
  metadata: Record<string, string>;
  /** Where the events of this task are sent, and which; null: nowhere, and all. */
  callbackUrl: string | null;
  callbackEvents: readonly EventType[] | null;
}

/** The limits of a request, by the names that callers see them under. */
export const requestLimits = {
  promptCodePoints: 2000,
  durationSeconds: { minimum: 1, maximum: 10 },
  seed: { minimum: -1, maximum: Number.MAX_SAFE_INTEGER },
  metadata: { pairs: 16, keyCodePoints: 64, valueCodePoints: 512, bytes: 4096 },
} as const;

export const requestDefaults = {
  resolution: '720p',
  aspectRatio: '16:9',
  durationSeconds: 5,
  imageFit: 'crop',
} as const satisfies Partial<GenerationRequest>;

/** Engines take seeds of 32 bits. */
const engineSeedCount = 2 ** 32;

/** The ratio that changes an image least: distances are compared as factors, so that tall and wide are treated alike. */
export function nearestAspectRatio(width: number, height: number): AspectRatio {
  const distance = (ratio: AspectRatio) => Math.abs(Math.log(width / height / valueOf(ratio)));
  return aspectRatios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** What an engine is given for a task's seed. */
export function engineSeed(seed: number): number {
  return seed % engineSeedCount;
}

function valueOf(ratio: AspectRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}
