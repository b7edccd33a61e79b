import type { ServerResponse } from 'node:http';
import type { Call, CallScene } from './call-scene.ts';

/** The protocols that adapters speak, one pool each. */
export const protocols = ['animatic', 'cog', 'sglang', 'vllm-omni', 'fastvideo', 'comfyui'] as const;
export type Protocol = (typeof protocols)[number];

/** A request to an engine, whatever its protocol calls it; it sends `callback` and `frames` on its own. */
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

export interface EngineResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Writes what no proper server would, to the response or to its socket. */
export type Writer = (response: ServerResponse) => void;

/** Everything that a mutation can use. */
export interface Scene {
  operation: Operation;
  jobId: string;
  /** The id of a job of another task at an engine of the same kind. */
  otherJobId: string;
  /** Whether the job has ended for an honest engine. */
  isOver: boolean;
  /** How many responses of this case were mutated before this one. */
  count: number;
  /** An address to which Kinora must not connect. */
  canaryUrl: string;
  video: Buffer;
}

export interface FrameScene {
  promptId: string;
  otherPromptId: string;
}

export type Spoil = (honest: EngineResponse, scene: Scene) => EngineResponse | Writer;

/** One lie of an engine, and the correct ends for a task that meets it. */
export interface Mutation {
  name: string;
  operations: readonly Operation[];
  spoil: Spoil;
  /** Callbacks that replace the honest ones. */
  calls?: (scene: CallScene) => Call[];
  /** Frames that are sent besides the honest ones. */
  frames?: (scene: FrameScene) => Buffer[];
  /** Correct ends if only the first response is mutated; absent if that is not tried. */
  once?: readonly End[];
  /** Correct ends if every response is mutated; absent if that is not tried. */
  always?: readonly End[];
  /** Whether the proof polls the task's progress. */
  watchesProgress?: true;
}

/** Part of every text of a hostile engine; no caller may see any of it. */
export const engineWords = 'zq-engine-word at /opt/engines/weights.safetensors with key sk-engine-0000';

export function json(value: unknown, status = 200): EngineResponse {
  return raw(JSON.stringify(value), status);
}

/** Returns a response whose body need not be what its content type says. */
export function raw(body: string | Buffer, status = 200, contentType = 'application/json'): EngineResponse {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

/** Returns an honest response with changed fields. */
export function withFields(honest: EngineResponse, fields: Record<string, unknown>): EngineResponse {
  const known: unknown = JSON.parse(honest.body.toString('utf8'));
  return { ...json({ ...(known as Record<string, unknown>), ...fields }), status: honest.status }; // always an object
}
