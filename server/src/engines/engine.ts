import type { Readable } from 'node:stream';
import type { JobDirective } from '../domain/directive.ts';
import type { AttemptFailureCode } from '../domain/failure.ts';

/** What a model behind an endpoint can do, as the endpoint itself says. */
export interface EngineDescription {
  engine: string;
  version: string;
  slots: number;
}

/** Everything an engine needs to make one video. Images are bytes: an engine never sees a caller's URL. */
export interface RenderRequest {
  /** Our id for the job, new for every attempt; engines that insist on their own ids answer with theirs. */
  jobId: string;
  prompt: string;
  negativePrompt: string | null;
  /** 0..2³²−1 */
  seed: number;
  /** The canvas to render on; the result is conformed to the delivered size afterwards. */
  width: number;
  height: number;
  fps: number;
  frameCount: number;
  /** A PNG that already has the canvas's size. */
  image: Uint8Array | null;
  /** What a test prompt forces; only the built-in engine obeys, all others ignore it. */
  directive?: JobDirective | undefined;
}

/** Opaque and serialisable: stored with the attempt, handed back to the same adapter. */
export type EngineOperation = Record<string, string | number>;

export type JobState =
  | { state: 'waiting' }
  /** progress 0..100, or null where the engine reports none */
  | { state: 'running'; progress: number | null }
  | { state: 'succeeded' }
  | { state: 'failed'; code: AttemptFailureCode; reason: string }
  /** The engine does not know the job. */
  | { state: 'lost' };

/** What a cancel achieved. After `stopped` the job does not run and never will. */
type CancelOutcome = 'stopped' | 'forgotten' | 'unsupported';

/** The port every inference engine is reached through. Engines are untrusted: adapters parse all they answer. */
export interface Engine {
  /** What the endpoint is and how many slots it has, asked of the endpoint. */
  describe(): Promise<EngineDescription>;
  /** The operation of a job under our own id, known before it is submitted; null where the engine makes the ids. */
  operationFor(jobId: string): EngineOperation | null;
  /** Hands one job over, at most once. Throws SubmitRefused when it was certainly not taken, InputRejected when it cannot be done. */
  submit(request: RenderRequest, signal: AbortSignal): Promise<EngineOperation>;
  /** What the engine knows of a job right now. Throws when the engine cannot be reached. */
  poll(operation: EngineOperation): Promise<JobState>;
  /** The finished file as a stream. */
  fetchOutput(operation: EngineOperation): Promise<Readable>;
  /** Asks the engine to stop a job; may be repeated. */
  cancel(operation: EngineOperation): Promise<CancelOutcome>;
  /** Deletes a finished job and its files at the engine, where the engine can. */
  discard(operation: EngineOperation): Promise<void>;
  /** Whether the endpoint would take a job now. Throws or answers false when not. */
  isHealthy(): Promise<boolean>;
}
