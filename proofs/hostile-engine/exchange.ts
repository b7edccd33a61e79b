import type { EngineJob, EngineState } from './engine-job.ts';
import type { EngineResponse, Operation } from './mutation.ts';

export interface EngineRequest {
  method: string;
  /** The path below the endpoint's own address. */
  path: string;
  query: URLSearchParams;
  contentType: string;
  body: Buffer;
}

/** The response of an honest engine, and the operation and job that it is about. */
export interface Exchange {
  honest: EngineResponse;
  operation: Operation | null;
  job: EngineJob | null;
}

/** Functions of the hostile server that a protocol needs. */
export interface Surroundings {
  /** Makes a job of the case that the body names; returns null if it names none. */
  take: (engine: EngineState, id: string, body: Buffer, webhook: string | null) => EngineJob | null;
  videoOf: (job: EngineJob) => Buffer;
  /** Returns a substitute for the job of an uploaded image, because the upload names no job. */
  uploadCase: (engine: EngineState) => EngineJob | null;
}

export type Speak = (request: EngineRequest, engine: EngineState, surroundings: Surroundings) => Exchange;

/** Returns a response that is about no job and is never mutated. */
export function plain(honest: EngineResponse): Exchange {
  return { honest, operation: null, job: null };
}
