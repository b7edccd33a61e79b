import type { AttemptFailureCode } from '../domain/failure.ts';

const outOfMemory = /out of memory|OutOfMemory|CUBLAS_STATUS_ALLOC_FAILED|cannot allocate memory|Allocation on device/i;

/** Postgres refuses a text with a zero byte, and a terminal obeys some of the others. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const unprintable = /[\u0000-\u001f\u007f]+/g;

/** What kind of failure an engine's own words tell of: engines have texts, not codes. */
export function failureOfText(text: string): AttemptFailureCode {
  return outOfMemory.test(text) ? 'engine_out_of_memory' : 'engine_crashed';
}

/** An engine's own words, short enough for a log. They are never shown to a caller: they hold paths and prompts. */
export function shortReason(text: unknown): string {
  if (typeof text !== 'string' || text === '') return 'the engine gave no reason';
  return text.slice(0, 200).replaceAll(unprintable, ' ').toWellFormed();
}
