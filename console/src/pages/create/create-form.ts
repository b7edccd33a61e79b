import type { Model } from '@kinora/sdk';
import type { VideoRequest } from '../../request-code/video-request.ts';
import { type CreateSearch, type Resolution, resolutions } from './create-search.ts';
import { type AspectRatio, aspectRatios, type ImageFit, nearestRatio } from './image-fit.ts';

export interface CreateForm {
  prompt: string;
  negativePrompt: string;
  /** Empty: the first model that can do the request. */
  model: string;
  resolution: Resolution;
  /** Null: 16:9, or the ratio nearest to the image. */
  aspectRatio: AspectRatio | null;
  durationSeconds: number;
  /** The seed of the first video. Unless it is locked, every send takes a new one. */
  seed: number;
  isSeedLocked: boolean;
  /** The id of an uploaded file. */
  image: string | null;
  imageFit: ImageFit;
  count: number;
}

/** What the form offers: what the chosen model can do, or for no choice what any model can. */
export interface Offer {
  types: readonly Model['capabilities']['types'][number][];
  resolutions: readonly Resolution[];
  aspectRatios: readonly AspectRatio[];
  shortestSeconds: number;
  longestSeconds: number;
  hasNegativePrompt: boolean;
}

export function offerOf(models: readonly Model[], chosen: string): Offer {
  const one = models.find(({ id, aliases }) => id === chosen || aliases.includes(chosen));
  const able = (one ? [one] : models).map(({ capabilities }) => capabilities);
  return {
    types: (['text_to_video', 'image_to_video'] as const).filter((type) =>
      able.some(({ types }) => types.includes(type)),
    ),
    resolutions: resolutions.filter((each) => able.some((can) => can.resolutions.includes(each))),
    aspectRatios: aspectRatios.filter((each) => able.some((can) => can.aspect_ratios.includes(each))),
    shortestSeconds: Math.min(...able.map(({ durations }) => durations.min)),
    longestSeconds: Math.max(...able.map(({ durations }) => durations.max)),
    hasNegativePrompt: able.some((can) => can.negative_prompt),
  };
}

/** Returns the form with every value that the model cannot do replaced by the nearest that it can. */
export function fitToOffer(form: CreateForm, offer: Offer): CreateForm {
  const { resolution, aspectRatio, durationSeconds } = form;
  return {
    ...form,
    resolution: offer.resolutions.includes(resolution) ? resolution : (offer.resolutions.at(-1) ?? resolution),
    aspectRatio: aspectRatio && offer.aspectRatios.includes(aspectRatio) ? aspectRatio : null,
    durationSeconds: Math.min(offer.longestSeconds, Math.max(offer.shortestSeconds, durationSeconds)),
  };
}

/** Returns the ratio that the video will have. */
export function shownRatio(
  { aspectRatio, image }: Pick<CreateForm, 'aspectRatio' | 'image'>,
  offer: Offer,
  imageSize: { width: number; height: number } | null,
): AspectRatio {
  const among = offer.aspectRatios.length > 0 ? offer.aspectRatios : aspectRatios;
  if (aspectRatio && among.includes(aspectRatio)) return aspectRatio;
  if (image && imageSize) return nearestRatio(imageSize, among);
  return among.includes('16:9') ? '16:9' : (among[0] ?? '16:9');
}

/** Returns the request that is sent: the only source of the estimate, the code and the task. */
export function requestOf(form: CreateForm, aspectRatio: AspectRatio, offer: Offer, seed = form.seed): VideoRequest {
  const negativePrompt = offer.hasNegativePrompt ? form.negativePrompt.trim() : '';
  return {
    prompt: form.prompt.trim(),
    ...(negativePrompt === '' ? {} : { negative_prompt: negativePrompt }),
    ...(form.image === null ? {} : { image: form.image, image_fit: form.imageFit }),
    ...(form.model === '' ? {} : { model: form.model }),
    resolution: form.resolution,
    aspect_ratio: aspectRatio,
    duration: form.durationSeconds,
    seed,
  };
}

/** Returns the seeds of one send: the seed of the form first, then others. */
export function seedsOf({ seed, count }: Pick<CreateForm, 'seed' | 'count'>, roll: () => number): number[] {
  return [seed, ...Array.from({ length: count - 1 }, roll)];
}

/** Returns a random seed of 32 bits: engines take no more. */
export function rollSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

export function formOf(search: CreateSearch, roll: () => number): CreateForm {
  return {
    prompt: search.prompt ?? '',
    negativePrompt: search.negative_prompt ?? '',
    model: search.model ?? '',
    resolution: search.resolution ?? '720p',
    aspectRatio: search.aspect_ratio ?? null,
    durationSeconds: search.duration ?? 5,
    seed: search.seed ?? roll(),
    isSeedLocked: search.seed !== undefined,
    image: search.image ?? null,
    imageFit: search.image_fit ?? 'crop',
    count: search.count ?? 1,
  };
}

/** Returns the address of a form. Defaults are left out, so that a new form has a short one. */
export function searchOf(form: CreateForm, tasks: readonly string[]): CreateSearch {
  return {
    ...(form.prompt === '' ? {} : { prompt: form.prompt }),
    ...(form.negativePrompt === '' ? {} : { negative_prompt: form.negativePrompt }),
    ...(form.model === '' ? {} : { model: form.model }),
    ...(form.resolution === '720p' ? {} : { resolution: form.resolution }),
    ...(form.aspectRatio === null ? {} : { aspect_ratio: form.aspectRatio }),
    ...(form.durationSeconds === 5 ? {} : { duration: form.durationSeconds }),
    ...(form.isSeedLocked ? { seed: form.seed } : {}),
    ...(form.image === null ? {} : { image: form.image }),
    ...(form.imageFit === 'crop' ? {} : { image_fit: form.imageFit }),
    ...(form.count === 1 ? {} : { count: form.count }),
    ...(tasks.length === 0 ? {} : { tasks: [...tasks] }),
  };
}
