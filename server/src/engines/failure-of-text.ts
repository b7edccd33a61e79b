import type { AttemptFailureCode } from '../domain/failure.ts';

const outOfMemory = /out of memory|OutOfMemory|CUBLAS_STATUS_ALLOC_FAILED|cannot allocate memory|Allocation on device/i;

/** Control characters: Postgres refuses a text with a zero byte, and a terminal obeys some of the others. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unprintable = /[\u0000-\u001f\u007f]+/g;

/** Returns the failure code for an engine's error text: engines report texts, not codes. */
export function failureOfText(text: string): AttemptFailureCode {
  return outOfMemory.test(text) ? 'engine_out_of_memory' : 'engine_crashed';
}

/** An engine's error text, short enough for a log; never shown to a caller, as it may contain paths and prompts. */
export function shortReason(text: unknown): string {
  if (typeof text !== 'string' || text === '') return 'the engine gave no reason';
  return text.slice(0, 200).replaceAll(unprintable, ' ').toWellFormed();
}
