import type { GenerationType, Warning } from '../../domain/generation-request.ts';
import type { Model } from '../../domain/model.ts';

/** What there is to say of a prompt beforehand, by the engine that will serve it; null: nothing. */
export type PromptWarning = (asked: {
  type: GenerationType;
  prompt: string;
  model: Model;
  livemode: boolean;
}) => Warning | null;
