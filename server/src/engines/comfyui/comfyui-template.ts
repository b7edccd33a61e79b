/** One input of one node. */
export interface ComfyInput {
  node: string;
  input: string;
}

/** A node as ComfyUI's "Export (API)" writes it; an input that is a pair names another node and one of its outputs. */
export interface ComfyNode {
  class_type: string;
  inputs: Readonly<Record<string, unknown>>;
}

export type ComfyGraph = Readonly<Record<string, ComfyNode>>;

/** What a job fills in. The first list must be bound: without one of them the video would not match the request. */
export const requiredBindings = ['seed', 'width', 'height', 'frame_count', 'fps', 'filename_prefix'] as const;
export const optionalBindings = ['prompt', 'negative_prompt', 'image'] as const;

export type ComfyBinding = (typeof requiredBindings)[number] | (typeof optionalBindings)[number];

/** A graph by the operator, and the inputs that take a job's values. */
export interface ComfyTemplate {
  name: string;
  graph: ComfyGraph;
  bindings: Readonly<Partial<Record<ComfyBinding, readonly ComfyInput[]>>>;
  /** The inputs that take a model's parameters, by the names of the parameters in the models file. */
  parameters: Readonly<Record<string, readonly ComfyInput[]>>;
  /** The node that saves the video. */
  output: string;
  /** Both sides must be multiples of this: ComfyUI would silently round them. */
  grid: number;
  /** The number of frames must be one more than a multiple of this, for the same reason. */
  frameStep: number;
  /** The files that the graph loads, by their folder under ComfyUI's `models`. */
  models: Readonly<Record<string, readonly string[]>>;
}
