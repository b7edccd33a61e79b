import type { ComfyGraph } from './comfyui-template.ts';

/** The progress of a job by the messages about its nodes. */
export interface JobProgress {
  /** Takes one message of the socket; messages about other nodes are ignored. */
  hear(type: string, data: Record<string, unknown>): void;
  /** 0..100, never falling; null until a sampler's first step, because its models load for minutes in silence. */
  percent(): number | null;
}

/** The progress of a graph: a node has weight 1, a sampler 1 per step, because most time is spent there. */
export function followProgress(graph: ComfyGraph): JobProgress {
  const weights = new Map(Object.entries(graph).map(([id, { inputs }]) => [id, weightOf(inputs['steps'])]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const samplers = [...weights.keys()].filter((id) => (weights.get(id) ?? 0) > 1);
  const done = new Map<unknown, number>();
  // Never falls: a node that runs again in a loop starts at zero.
  const raise = (id: unknown, fraction: number): void => {
    if (fraction > (done.get(id) ?? 0)) done.set(id, Math.min(1, fraction));
  };

  return {
    hear(type, data) {
      const { nodes, node } = data;
      if (type === 'execution_cached' && Array.isArray(nodes))
        for (const id of nodes) if (weights.has(id)) raise(id, 1);
      if (type === 'progress' && typeof node === 'string' && weights.has(node)) raise(node, fractionOf(data));
      if (type === 'progress_state') for (const id of weights.keys()) raise(id, fractionOf(entryOf(nodes, id)));
    },

    percent() {
      if (samplers.length > 0 && !samplers.some((id) => done.has(id))) return null;
      let sum = 0;
      for (const [id, weight] of weights) sum += weight * (done.get(id) ?? 0);
      return (100 * sum) / total;
    },
  };
}

function weightOf(steps: unknown): number {
  return typeof steps === 'number' && steps >= 1 && steps <= 10_000 ? steps : 1;
}

function fractionOf({ value, max }: Record<string, unknown>): number {
  return typeof value === 'number' && typeof max === 'number' && max > 0 ? value / max : 0;
}

function entryOf(nodes: unknown, id: string): Record<string, unknown> {
  const known = typeof nodes === 'object' && nodes !== null && Object.hasOwn(nodes, id);
  const entry = known ? (nodes as Record<string, unknown>)[id] : null; // an object with this key
  return typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {};
}
