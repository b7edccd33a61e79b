import type { ServerResponse } from 'node:http';
import type { Call, CallScene } from './call-scene.ts';

/** The protocols that adapters speak, one pool each. */
export const protocols = ['animatic', 'cog', 'sglang', 'vllm-omni', 'fastvideo', 'comfyui'] as const;
export type Protocol = (typeof protocols)[number];

/** What an engine is asked for, whatever the protocol calls it; `callback` and `frames` it sends by itself. */
export type Operation =
  | 'submit'
  | 'list'
  | 'poll'
  | 'output'
  | 'cancel'
  | 'discard'
  | 'upload'
  | 'queue'
  | 'callback'
  | 'frames';

/** How a task may end: completed, cancelled by its caller, or failed with a code. */
export type End =
  | 'completed'
  | 'cancelled'
  | 'engine_unavailable'
  | 'engine_out_of_memory'
  | 'engine_rejected_input'
  | 'engine_crashed'
  | 'engine_lost'
  | 'generation_stalled'
  | 'deadline_exceeded'
  | 'output_invalid'
  | 'output_rejected';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Writes what no server would: to the response, or to the socket below it. */
export type Writer = (response: ServerResponse) => void;

/** What a mutation may look at. */
export interface Scene {
  operation: Operation;
  jobId: string;
  /** The id of a job of another task at an engine of the same kind. */
  otherJobId: string;
  /** Whether the job has come to its honest end. */
  isOver: boolean;
  /** How many answers of this case were mutated before this one. */
  count: number;
  /** Nobody may connect there. */
  canaryUrl: string;
  video: Buffer;
}

export interface FrameScene {
  promptId: string;
  otherPromptId: string;
}

export type Spoil = (honest: Answer, scene: Scene) => Answer | Writer;

/** One way to lie, and the ends that are right for a task that meets it. */
export interface Mutation {
  name: string;
  operations: readonly Operation[];
  spoil: Spoil;
  /** What is posted to the webhook of a job instead of the truth. */
  calls?: (scene: CallScene) => Call[];
  /** What is said over the socket of a job's engine, besides the truth. */
  frames?: (scene: FrameScene) => Buffer[];
  /** Where the first answer alone is mutated; absent where that is not tried. */
  once?: readonly End[];
  /** Where every answer is. */
  always?: readonly End[];
  /** The percentages of the task are read all the time. */
  watchesProgress?: true;
}

/** In every text of a hostile engine: none of it may reach a caller. */
export const engineWords = 'zq-engine-word at /opt/engines/weights.safetensors with key sk-engine-0000';

export function json(value: unknown, status = 200): Answer {
  return raw(JSON.stringify(value), status);
}

/** A body that is called JSON and need not be. */
export function raw(body: string | Buffer, status = 200, contentType = 'application/json'): Answer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

/** The fields of an honest answer, changed. */
export function withFields(honest: Answer, fields: Record<string, unknown>): Answer {
  const known: unknown = JSON.parse(honest.body.toString('utf8'));
  return { ...json({ ...(known as Record<string, unknown>), ...fields }), status: honest.status }; // ours, an object
}
