import {
  type AspectRatio,
  aspectRatios,
  type GenerationType,
  type Resolution,
  resolutions,
} from './generation-request.ts';
import type { Size } from './size.ts';

/** A model as the operator configures it: the pool that serves it, what it supports and the canvases it renders on. */
export interface Model {
  id: string;
  name: string;
  description: string;
  /** The pool whose endpoints serve it. */
  pool: string;
  /** Other names that callers may use for it. */
  aliases: readonly string[];
  /** If false, the model is listed, but creates that name it are refused until the operator enables it. */
  isEnabled: boolean;
  types: readonly GenerationType[];
  resolutions: readonly Resolution[];
  aspectRatios: readonly AspectRatio[];
  shortestSeconds: number;
  longestSeconds: number;
  fps: number;
  /** Both sides of the canvas are multiples of this. */
  grid: number;
  /** Canvases that do not follow from the grid, keyed by the delivered size as "WxH". */
  canvases: Readonly<Record<string, Size>>;
  /** The step of frame counts, or null if any count can be rendered. */
  frameStep: number | null;
  usesNegativePrompt: boolean;
  /** Sent to the engine with every job under the engine's own names, such as steps or guidance. */
  parameters: Readonly<Record<string, string | number | boolean>>;
  /** The price of a second of video. It is informative: nothing is charged. */
  price: Price | null;
}

interface Price {
  currency: string;
  /** A decimal number as text, by resolution. */
  perSecond: Readonly<Partial<Record<Resolution, string>>>;
}

/** The part of a request that decides whether a model supports it. */
export interface Combination {
  type: GenerationType;
  resolution: Resolution;
  /** Null if it is not known yet, or if any ratio will do. */
  aspectRatio: AspectRatio | null;
  durationSeconds: number;
}

/** The built-in engine's model. It serves every size and duration on any machine. */
export const animatic: Model = {
  id: 'animatic',
  name: 'Animatic',
  description: 'The built-in engine draws a moving storyboard on the CPU. It is not a video model.',
  pool: 'animatic',
  aliases: [],
  isEnabled: true,
  types: ['text_to_video', 'image_to_video'],
  resolutions,
  aspectRatios,
  shortestSeconds: 1,
  longestSeconds: 10,
  fps: 24,
  grid: 2,
  canvases: {},
  frameStep: null,
  usesNegativePrompt: false,
  parameters: {},
  price: null,
};

/** Returns the model that renders. Test mode costs nothing, so the built-in engine renders it, whatever the model. */
export function servingModel({ livemode, model }: { livemode: boolean; model: Model }): Model {
  return livemode ? model : animatic;
}

/** Returns the id of the model that renders a task; see `servingModel`. */
export function servingModelId(task: { livemode: boolean; model: string }): string {
  return task.livemode ? task.model : animatic.id;
}

/** A field of a request that a model does not support, and the values that it supports. */
export interface Unsupported {
  param: 'type' | 'resolution' | 'aspect_ratio' | 'duration';
  allowed: readonly (string | number)[];
}

/** Returns every field that a model does not support; empty if it supports the combination. */
export function unsupportedBy(model: Model, combination: Combination): Unsupported[] {
  const { type, resolution, aspectRatio, durationSeconds } = combination;
  const found: Unsupported[] = [];
  if (!model.types.includes(type)) found.push({ param: 'type', allowed: model.types });
  if (!model.resolutions.includes(resolution)) found.push({ param: 'resolution', allowed: model.resolutions });
  if (aspectRatio !== null && !model.aspectRatios.includes(aspectRatio))
    found.push({ param: 'aspect_ratio', allowed: model.aspectRatios });
  if (durationSeconds < model.shortestSeconds || durationSeconds > model.longestSeconds)
    found.push({ param: 'duration', allowed: [model.shortestSeconds, model.longestSeconds] });
  return found;
}
