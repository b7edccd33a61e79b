import type { Readable } from 'node:stream';
import type { JobDirective } from '../domain/directive.ts';
import type { AttemptFailureCode, RejectionCode } from '../domain/failure.ts';

/** What an endpoint reports about itself, and where that disagrees with the models file. */
export interface EngineDescription {
  engine: string;
  version: string;
  slots: number;
  /** The models that it says it serves; null if it does not say. */
  models: readonly string[] | null;
  /** What disagrees with the models file: sentences that say what to change. An endpoint with problems gets no jobs. */
  problems: readonly string[];
}

/** Whether an endpoint would accept a job now; if not, a few words that say why. */
export type EngineHealth = { isReady: true } | { isReady: false; reason: string };

/** Everything an engine needs to make one video. Images are bytes: an engine never sees a caller's URL. */
export interface RenderRequest {
  /** Our id for the job, new for every attempt. Engines that make the ids return an operation with theirs instead. */
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
  /** The outcome that a test prompt forces. Only the built-in engine obeys it. */
  directive?: JobDirective | undefined;
}

/** The part of a request that is known without reading its image. */
export type ComparableRequest = Omit<RenderRequest, 'jobId' | 'image'>;

export type EngineParameters = Readonly<Record<string, string | number | boolean>>;

/** A job at its engine: opaque, serialisable, stored with the attempt and given back to the same adapter. */
export type EngineOperation = Record<string, string | number>;

export type JobState =
  | { state: 'waiting' }
  /** progress: 0..100, or null if the engine reports none; every change counts as a sign of life */
  | { state: 'running'; progress: number | null }
  /** isStored: the engine sent its output by itself, and it is in storage already */
  | { state: 'succeeded'; isStored?: true }
  /** The two rejections end the task at once; every other code is worth another attempt. */
  | { state: 'failed'; code: AttemptFailureCode | RejectionCode; reason: string }
  /** The engine does not know the job. */
  | { state: 'lost' };

/**
 * What a cancel achieved. `stopped`: the job does not run and never will. `forgotten`: the engine no longer knows the
 * job but may still be computing it. `unsupported`: the job continues, and `poll` shows its end.
 */
export type CancelOutcome = 'stopped' | 'forgotten' | 'unsupported';

/** The port through which every inference engine is reached. Engines are untrusted: adapters check every response. */
export interface Engine {
  /** Queries the endpoint for what it is and how many slots it has. Throws if it cannot be reached. */
  describe(): Promise<EngineDescription>;
  /** Returns the operation of a job under our own id, before it is submitted; null if the engine makes the ids. */
  operationFor(jobId: string): EngineOperation | null;
  /** Submits once. Throws SubmitRefused if the engine certainly did not take it, InputRejected if it cannot render. */
  submit(request: RenderRequest, signal: AbortSignal): Promise<EngineOperation>;
  /**
   * Returns the jobs that an engine which makes the ids took since a moment of our clock: one may be ours. With a
   * request, only jobs that may be of this request by what the engine lists of them. Other engines: none.
   */
  jobsSince(moment: Date, request?: ComparableRequest): Promise<EngineOperation[]>;
  /** Returns what the engine knows of a job right now. Throws if the engine cannot be reached. */
  poll(operation: EngineOperation): Promise<JobState>;
  /** Returns the finished file as a stream. Throws OutputInvalid if there certainly is none. */
  fetchOutput(operation: EngineOperation): Promise<Readable>;
  /** Tells the engine to stop a job; may be repeated. */
  cancel(operation: EngineOperation): Promise<CancelOutcome>;
  /** Deletes a finished job and its files at the engine, if the engine can. */
  discard(operation: EngineOperation): Promise<void>;
  /** Returns whether the endpoint would accept a job now. Throws if it cannot be reached. */
  health(): Promise<EngineHealth>;
  /** Closes the connections; jobs at the engine continue. */
  close(): Promise<void>;
}
