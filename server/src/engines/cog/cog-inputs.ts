import type { EngineParameters, RenderRequest } from '../engine.ts';

/** What a job can tell a predictor, and what the predictor of predictors/wan calls it. */
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

/** The predictor's name of each input; null for what it does not take. */
export type CogInputs = Readonly<Record<CogInputField, string | null>>;

/** The operator's names laid over the usual ones. */
export function nameInputs(names: Partial<Record<CogInputField, string | null | undefined>> = {}): CogInputs {
  const given = Object.entries(names).filter(([, name]) => name !== undefined);
  return { ...cogInputNames, ...Object.fromEntries(given) };
}

/** The `input` of a prediction. What a job does not have is not sent: the predictor's own default holds. */
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

/** What the inputs that a server has, by its own schema, say of the names; a sentence each for what to change. */
export function problemsOfInputs(inputs: CogInputs, known: readonly string[]): string[] {
  return fieldsOf(inputs).flatMap(([field, name]) =>
    name === null || known.includes(name)
      ? []
      : [
          `The predictor has no input "${name}". In the models file, set inputs.${field} of this pool to the name of the one ` +
            `that it has (${known.slice(0, 20).join(', ')}), or to null so that it is not sent.`,
        ],
  );
}

function fieldsOf(inputs: CogInputs): [CogInputField, string | null][] {
  return Object.entries(inputs) as [CogInputField, string | null][]; // Object.entries forgets the names
}
