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

/** What a job fills in. The first list must be bound: without them the video would not be the one that was asked for. */
export const requiredBindings = ['seed', 'width', 'height', 'frame_count', 'fps', 'filename_prefix'] as const;
export const optionalBindings = ['prompt', 'negative_prompt', 'image'] as const;

export type ComfyBinding = (typeof requiredBindings)[number] | (typeof optionalBindings)[number];

/** A graph of the operator's, and where a job's values go in it. */
export interface ComfyTemplate {
  name: string;
  graph: ComfyGraph;
  bindings: Readonly<Partial<Record<ComfyBinding, readonly ComfyInput[]>>>;
  /** Where the model's parameters of the models file go, by their names there. */
  parameters: Readonly<Record<string, readonly ComfyInput[]>>;
  /** The node that saves the video. */
  output: string;
  /** Both sides must be multiples of this: ComfyUI would round them without a word. */
  grid: number;
  /** The number of frames must be one more than a multiple of this, for the same reason. */
  frameStep: number;
  /** The files that the graph loads, by their folder under ComfyUI's `models`. */
  models: Readonly<Record<string, readonly string[]>>;
}
