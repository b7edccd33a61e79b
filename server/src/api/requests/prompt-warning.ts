import type { GenerationType, Warning } from '../../domain/generation-request.ts';
import type { Model } from '../../domain/model.ts';

/** Returns what the engine of a model warns about before it renders the prompt, or null. */
export type PromptWarning = (request: {
  type: GenerationType;
  prompt: string;
  model: Model;
  livemode: boolean;
}) => Warning | null;
