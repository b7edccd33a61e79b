import type { AttemptFailureCode, RejectionCode } from '../domain/failure.ts';

/** What an engine that hands its results over by itself says of a job. */
export interface EngineCallback {
  jobId: string;
  word: CallbackWord;
}

export type CallbackWord =
  | { state: 'running'; progress: number | null }
  /** output: it came with the callback and was passed on, or it lies at an address that the engine names */
  | { state: 'succeeded'; output: 'passed-on' | { url: string } }
  | { state: 'failed'; code: AttemptFailureCode | RejectionCode; reason: string }
  | { state: 'cancelled' };

/**
 * Reads a callback of any size in little memory. The output is passed on while it comes; that it counts is known at the end
 * alone. Null for what is no callback. Throws what the body or `onOutput` throws.
 */
export type ReadCallback = (
  body: AsyncIterable<Buffer>,
  onOutput: (bytes: Buffer) => Promise<void>,
) => Promise<EngineCallback | null>;
