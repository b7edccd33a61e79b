import type { AttemptFailureCode } from '../domain/failure.ts';

const outOfMemory = /out of memory|OutOfMemory|CUBLAS_STATUS_ALLOC_FAILED|cannot allocate memory|Allocation on device/i;

/** What kind of failure an engine's own words tell of: engines have texts, not codes. */
export function failureOfText(text: string): AttemptFailureCode {
  return outOfMemory.test(text) ? 'engine_out_of_memory' : 'engine_crashed';
}

/** An engine's own words, short enough for a log. They are never shown to a caller: they hold paths and prompts. */
export function shortReason(text: unknown): string {
  return typeof text === 'string' && text !== '' ? text.slice(0, 200) : 'the engine gave no reason';
}
