import type { Task } from '@kinora/sdk';
import { type AspectRatio, aspectRatios, type ImageFit, imageFits } from './image-fit.ts';

export const resolutions = ['480p', '720p', '1080p'] as const;
export type Resolution = (typeof resolutions)[number];

/** The form and the tasks that it made, as the address of the page holds them. Fields are named as in the API. */
export interface CreateSearch {
  prompt?: string;
  negative_prompt?: string;
  model?: string;
  resolution?: Resolution;
  aspect_ratio?: AspectRatio;
  duration?: number;
  /** Present if the seed is locked. */
  seed?: number;
  /** The id of an uploaded file. */
  image?: string;
  image_fit?: ImageFit;
  /** How many variations one click makes. */
  count?: number;
  /** The ids of the tasks on the canvas. */
  tasks?: string[];
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readCreateSearch(search: Record<string, unknown>): CreateSearch {
  return withoutUndefined({
    prompt: textOf(search['prompt']),
    negative_prompt: textOf(search['negative_prompt']),
    model: textOf(search['model']),
    resolution: resolutions.find((one) => one === search['resolution']),
    aspect_ratio: aspectRatios.find((one) => one === search['aspect_ratio']),
    duration: wholeOf(search['duration'], 1, 600),
    seed: wholeOf(search['seed'], 0, Number.MAX_SAFE_INTEGER),
    image: matching(search['image'], /^file_[0-9a-z]{26}$/),
    image_fit: imageFits.find((one) => one === search['image_fit']),
    count: wholeOf(search['count'], 2, 4),
    tasks: idsOf(search['tasks']),
  });
}

/** Returns the address that fills the form with a task's request: the same seed again, or another one. */
export function searchOfTask(task: Task, kind: 'again' | 'variation', image?: string): CreateSearch {
  return withoutUndefined({
    prompt: task.prompt,
    negative_prompt: task.negative_prompt ?? undefined,
    model: task.model,
    resolution: task.resolution,
    aspect_ratio: task.aspect_ratio,
    duration: task.duration,
    seed: kind === 'again' ? task.seed : undefined,
    image_fit: task.image?.fit,
    image,
  });
}

function textOf(value: unknown): string | undefined {
  // The router reads a text such as `7` as a number.
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function wholeOf(value: unknown, smallest: number, largest: number): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= smallest && Number(value) <= largest
    ? Number(value)
    : undefined;
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function idsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids = value.filter((one): one is string => matching(one, /^task_[0-9a-z]{26}$/) !== undefined).slice(0, 4);
  return ids.length > 0 ? ids : undefined;
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}
