import type { EngineJob, EngineState } from './engine-job.ts';
import type { Answer, Operation } from './mutation.ts';

export interface Question {
  method: string;
  /** Below the endpoint's own address. */
  path: string;
  query: URLSearchParams;
  contentType: string;
  body: Buffer;
}

/** What an honest engine answers, and what that is about. */
export interface Exchange {
  honest: Answer;
  operation: Operation | null;
  job: EngineJob | null;
}

/** What a protocol needs of its surroundings. */
export interface Surroundings {
  /** Makes a job of a case that the body names; null for what names none. */
  take: (engine: EngineState, id: string, body: Buffer, webhook: string | null) => EngineJob | null;
  videoOf: (job: EngineJob) => Buffer;
  /** A stand-in for the job that an image is uploaded for: the upload itself names none. */
  uploadCase: (engine: EngineState) => EngineJob | null;
}

export type Speak = (question: Question, engine: EngineState, surroundings: Surroundings) => Exchange;

/** An answer about no job: never mutated. */
export function plain(honest: Answer): Exchange {
  return { honest, operation: null, job: null };
}
