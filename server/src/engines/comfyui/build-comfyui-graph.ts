import { InputRejected } from '../../errors.ts';
import type { RenderRequest } from '../engine.ts';
import type { ComfyBinding, ComfyGraph, ComfyInput, ComfyTemplate } from './comfyui-template.ts';

interface Job {
  request: RenderRequest;
  /** The uploaded image, as the server named it. */
  image: string | null;
  /** Unique to this job: for a prefix that it has seen, ComfyUI returns the file that it wrote before. */
  filenamePrefix: string;
}

/** Rejects a size or length that the graph's nodes would silently change. */
export function checkFit({ name, grid, frameStep }: ComfyTemplate, { width, height, frameCount }: RenderRequest): void {
  if (width % grid !== 0 || height % grid !== 0)
    throw new InputRejected(`the template "${name}" renders multiples of ${grid}, not ${width}x${height}`);
  if ((frameCount - 1) % frameStep !== 0)
    throw new InputRejected(
      `the template "${name}" renders a multiple of ${frameStep} plus one frame, not ${frameCount}`,
    );
}

/** Returns the graph of one job: the template with the job's values in the bound inputs. */
export function buildComfyGraph(template: ComfyTemplate, { request, image, filenamePrefix }: Job): ComfyGraph {
  const graph: Record<string, { class_type: string; inputs: Record<string, unknown> }> = {};
  for (const [id, node] of Object.entries(template.graph)) graph[id] = { ...node, inputs: { ...node.inputs } };
  const put = (inputs: readonly ComfyInput[], value: unknown): void => {
    for (const { node, input } of inputs) {
      const bound = graph[node];
      if (bound) bound.inputs[input] = value;
    }
  };

  const values: Record<ComfyBinding, unknown> = {
    prompt: request.prompt,
    negative_prompt: request.negativePrompt, // null keeps the template's own
    seed: request.seed,
    width: request.width,
    height: request.height,
    frame_count: request.frameCount,
    fps: request.fps,
    image,
    filename_prefix: filenamePrefix,
  };
  for (const [name, inputs] of Object.entries(template.bindings)) {
    const value = values[name as ComfyBinding]; // bindings have no other names
    if (value !== null) put(inputs, value);
  }
  for (const [name, value] of Object.entries(request.parameters ?? {})) {
    const inputs = Object.hasOwn(template.parameters, name) ? template.parameters[name] : undefined;
    if (!inputs) throw new InputRejected(`the template "${template.name}" has no parameter "${name}"`);
    put(inputs, value);
  }
  return graph;
}
