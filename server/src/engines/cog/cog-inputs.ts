import type { EngineParameters, RenderRequest } from '../engine.ts';

/** The inputs that a job can give a predictor, with their names in predictors/wan. */
export const cogInputNames = {
  prompt: 'prompt',
  negative_prompt: 'negative_prompt',
  image: 'image',
  width: 'width',
  height: 'height',
  frame_count: 'num_frames',
  fps: 'fps',
  seed: 'seed',
} as const;

export type CogInputField = keyof typeof cogInputNames;

/** The predictor's name for each input; null for one that it does not take. */
export type CogInputs = Readonly<Record<CogInputField, string | null>>;

/** Returns the usual names, overridden by the operator's. */
export function nameInputs(names: Partial<Record<CogInputField, string | null | undefined>> = {}): CogInputs {
  const given = Object.entries(names).filter(([, name]) => name !== undefined);
  return { ...cogInputNames, ...Object.fromEntries(given) };
}

/** Returns the `input` of a prediction. For values that a job does not have, the predictor's defaults apply. */
export function inputOf(inputs: CogInputs, request: RenderRequest): EngineParameters {
  const values: Record<CogInputField, string | number | null> = {
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    image: request.image && `data:image/png;base64,${Buffer.from(request.image).toString('base64')}`,
    width: request.width,
    height: request.height,
    frame_count: request.frameCount,
    fps: request.fps,
    seed: request.seed,
  };
  const input: Record<string, string | number | boolean> = { ...request.parameters };
  for (const [field, name] of fieldsOf(inputs)) {
    const value = values[field];
    if (name !== null && value !== null) input[name] = value;
  }
  return input;
}

/** Compares the names with the inputs in the server's schema; returns a sentence for each name to change. */
export function problemsOfInputs(inputs: CogInputs, known: readonly string[]): string[] {
  return fieldsOf(inputs).flatMap(([field, name]) =>
    name === null || known.includes(name)
      ? []
      : [
          `The predictor has no input "${name}". In the models file, set inputs.${field} of this pool to the predictor's ` +
            `name for it (its inputs: ${known.slice(0, 20).join(', ')}), or to null if it has none.`,
        ],
  );
}

function fieldsOf(inputs: CogInputs): [CogInputField, string | null][] {
  return Object.entries(inputs) as [CogInputField, string | null][]; // Object.entries forgets the names' type
}
