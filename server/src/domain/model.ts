/** A model as the service needs to know it: who serves it and what it renders on. */
export interface Model {
  id: string;
  /** Whose endpoints serve it. */
  pool: string;
  fps: number;
  /** Both sides of the canvas are multiples of this. */
  grid: number;
  /** The step of frame counts, or null where any count can be rendered. */
  frameStep: number | null;
  usesNegativePrompt: boolean;
}

/** The built-in engine's model: serves every size and duration, on any machine. */
export const animatic: Model = {
  id: 'animatic',
  pool: 'animatic',
  fps: 24,
  grid: 2,
  frameStep: null,
  usesNegativePrompt: false,
};

/** In the operator's order: the first that can do a request serves it when the caller names none. */
export const models: readonly [Model, ...Model[]] = [animatic];

/** The model of an id; without one, the installation's first. Null where there is no such model. */
export function findModel(id: string | null): Model | null {
  if (id === null) return models[0];
  return models.find((model) => model.id === id) ?? null;
}
