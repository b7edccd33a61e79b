import type { AttemptFailureCode, RejectionCode } from '../domain/failure.ts';

/** A report about a job by an engine that sends its results by itself. */
export interface EngineCallback {
  jobId: string;
  report: CallbackReport;
}

export type CallbackReport =
  | { state: 'running'; progress: number | null }
  /** output: `passed-on` if it came with the callback, otherwise the URL that the engine names */
  | { state: 'succeeded'; output: 'passed-on' | { url: string } }
  | { state: 'failed'; code: AttemptFailureCode | RejectionCode; reason: string }
  | { state: 'cancelled' };

/**
 * Reads a callback of any size in little memory. The output is passed on while it arrives; only the end of the body
 * shows whether it is valid. Returns null if the body is not a callback. Throws what the body or `onOutput` throws.
 */
export type ReadCallback = (
  body: AsyncIterable<Buffer>,
  onOutput: (bytes: Buffer) => Promise<void>,
) => Promise<EngineCallback | null>;
