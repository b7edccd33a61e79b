import type { Readable } from 'node:stream';
import type { JobDirective } from '../domain/directive.ts';
import type { AttemptFailureCode, RejectionCode } from '../domain/failure.ts';

/** What an endpoint is, as it says itself, and whether that is what the models file says of it. */
export interface EngineDescription {
  engine: string;
  version: string;
  slots: number;
  /** The models that it says it serves; null where it does not say. */
  models: readonly string[] | null;
  /** What does not fit the models file, a sentence each that says what to change. With any of them it gets no jobs. */
  problems: readonly string[];
}

/** Whether an endpoint would take a job now; where not, a few words that say why. */
export type EngineHealth = { isReady: true } | { isReady: false; reason: string };

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
  /** The operator's settings of the model (steps, guidance), under the engine's own names. */
  parameters?: EngineParameters | undefined;
  /** What a test prompt forces; only the built-in engine obeys, all others ignore it. */
  directive?: JobDirective | undefined;
}

export type EngineParameters = Readonly<Record<string, string | number | boolean>>;

/** Opaque and serialisable: stored with the attempt, handed back to the same adapter. */
export type EngineOperation = Record<string, string | number>;

export type JobState =
  | { state: 'waiting' }
  /** progress 0..100, or null where the engine reports none; every change of it counts as a sign of life */
  | { state: 'running'; progress: number | null }
  /** isStored: the engine handed its output over by itself, and it lies in the store already */
  | { state: 'succeeded'; isStored?: true }
  /** The two rejections end the task at once; every other code is worth another attempt. */
  | { state: 'failed'; code: AttemptFailureCode | RejectionCode; reason: string }
  /** The engine does not know the job. */
  | { state: 'lost' };

/**
 * What a cancel achieved. After `stopped` the job does not run and never will; after `forgotten` the engine does not know it
 * any more and may still compute; `unsupported`: it runs on, and its end shows in `poll`.
 */
export type CancelOutcome = 'stopped' | 'forgotten' | 'unsupported';

/** The port every inference engine is reached through. Engines are untrusted: adapters parse all they answer. */
export interface Engine {
  /** What the endpoint is and how many slots it has, asked of the endpoint. Throws when it cannot be reached. */
  describe(): Promise<EngineDescription>;
  /** The operation of a job under our own id, known before it is submitted; null where the engine makes the ids. */
  operationFor(jobId: string): EngineOperation | null;
  /** Hands one job over, at most once. Throws SubmitRefused when it was certainly not taken, InputRejected when it cannot be done. */
  submit(request: RenderRequest, signal: AbortSignal): Promise<EngineOperation>;
  /** The jobs that the engine took since a moment, where it makes the ids: one of them may be ours. Otherwise none. */
  jobsSince(moment: Date): Promise<EngineOperation[]>;
  /** What the engine knows of a job right now. Throws when the engine cannot be reached. */
  poll(operation: EngineOperation): Promise<JobState>;
  /** The finished file as a stream. Throws OutputInvalid when there certainly is none. */
  fetchOutput(operation: EngineOperation): Promise<Readable>;
  /** Asks the engine to stop a job; may be repeated. */
  cancel(operation: EngineOperation): Promise<CancelOutcome>;
  /** Deletes a finished job and its files at the engine, where the engine can. */
  discard(operation: EngineOperation): Promise<void>;
  /** Whether the endpoint would take a job now. Throws when it cannot be reached. */
  health(): Promise<EngineHealth>;
  /** Closes connections; jobs at the engine go on. */
  close(): Promise<void>;
}
