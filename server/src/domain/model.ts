import {
  type AspectRatio,
  aspectRatios,
  type GenerationType,
  type Resolution,
  resolutions,
} from './generation-request.ts';
import type { Size } from './size.ts';

/** A model as the operator describes it: who serves it, what it can do, what it renders on. */
export interface Model {
  id: string;
  name: string;
  description: string;
  /** Whose endpoints serve it. */
  pool: string;
  /** Other names that callers may use for it. */
  aliases: readonly string[];
  /** False: it is shown, and creates that name it are refused until the operator enables it. */
  isEnabled: boolean;
  types: readonly GenerationType[];
  resolutions: readonly Resolution[];
  aspectRatios: readonly AspectRatio[];
  shortestSeconds: number;
  longestSeconds: number;
  fps: number;
  /** Both sides of the canvas are multiples of this. */
  grid: number;
  /** Canvases that do not follow from the grid, by the delivered size as "WxH". */
  canvases: Readonly<Record<string, Size>>;
  /** The step of frame counts, or null where any count can be rendered. */
  frameStep: number | null;
  usesNegativePrompt: boolean;
  /** Handed to the engine with every job, under its own names: steps, guidance and the like. */
  parameters: Readonly<Record<string, string | number | boolean>>;
  /** What a second of video costs; it informs, nothing is charged. */
  price: Price | null;
}

interface Price {
  currency: string;
  /** A decimal number as text, by resolution. */
  perSecond: Readonly<Partial<Record<Resolution, string>>>;
}

/** What of a request decides whether a model can do it. Null: not known yet, or any will do. */
export interface Combination {
  type: GenerationType;
  resolution: Resolution;
  aspectRatio: AspectRatio | null;
  durationSeconds: number;
}

/** The built-in engine's model: serves every size and duration, on any machine. */
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

/** The model that renders. Test mode costs nothing: whatever the model, the built-in engine draws it. */
export function servingModel({ livemode, model }: { livemode: boolean; model: Model }): Model {
  return livemode ? model : animatic;
}

/** The same for a task, which knows its model by id. */
export function servingModelId(task: { livemode: boolean; model: string }): string {
  return task.livemode ? task.model : animatic.id;
}

/** A field of a request that a model cannot serve, and what it could. */
export interface Unsupported {
  param: 'type' | 'resolution' | 'aspect_ratio' | 'duration';
  allowed: readonly (string | number)[];
}

/** Everything that keeps a model from doing a combination; empty when it can. */
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
