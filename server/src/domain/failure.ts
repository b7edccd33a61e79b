const attemptFailureCodes = [
  'engine_out_of_memory',
  'engine_crashed',
  'engine_lost',
  'generation_stalled',
  'output_invalid',
] as const;

/** Why an attempt failed. The task may be retried. */
export type AttemptFailureCode = (typeof attemptFailureCodes)[number];

export function isAttemptFailureCode(code: unknown): code is AttemptFailureCode {
  return attemptFailureCodes.some((known) => known === code);
}

const rejectionCodes = ['engine_rejected_input', 'output_rejected'] as const;

/** The engine rejected the input, or the video that it made of it. Another attempt would be rejected too. */
export type RejectionCode = (typeof rejectionCodes)[number];

export function isRejectionCode(code: unknown): code is RejectionCode {
  return rejectionCodes.some((known) => known === code);
}

/** Why a task failed. */
export type TaskFailureCode =
  | AttemptFailureCode
  | RejectionCode
  | 'engine_unavailable'
  | 'deadline_exceeded'
  | 'storage_failed'
  | 'internal_error';

export const taskFailureText: Record<TaskFailureCode, { message: string; retryable: boolean }> = {
  engine_unavailable: { message: 'No engine was available to render the video. Try again later.', retryable: true },
  engine_out_of_memory: {
    message: 'The engine ran out of memory. Try a smaller resolution or a shorter duration.',
    retryable: true,
  },
  engine_rejected_input: {
    message: 'The engine cannot render this input. Change the prompt or the image.',
    retryable: false,
  },
  engine_crashed: {
    message: 'The engine crashed while rendering, each time it was tried. Try again later.',
    retryable: true,
  },
  engine_lost: { message: 'The engine lost the job, each time it was tried. Try again later.', retryable: true },
  generation_stalled: {
    message: 'The engine stopped making progress, each time it was tried. Try again later.',
    retryable: true,
  },
  deadline_exceeded: {
    message: 'The task took longer than is allowed here. Try again, or try a shorter duration.',
    retryable: true,
  },
  output_invalid: {
    message: 'The engine did not deliver a usable video. Try again with another seed.',
    retryable: true,
  },
  output_rejected: { message: 'The video was rejected after rendering. Change the prompt.', retryable: false },
  storage_failed: { message: 'The video could not be stored. Try again later.', retryable: true },
  internal_error: {
    message: 'Something went wrong on our side. Try again, and report it if it happens again.',
    retryable: true,
  },
};

// The keys of the table above are exactly the codes.
export const taskFailureCodes = Object.keys(taskFailureText) as TaskFailureCode[];

/** After this many failed attempts the task fails. Attempts that the engine refused do not count. */
export const maximumAttempts = 3;
/**
 * After this many consecutive refusals the task fails too: an engine may refuse this one input. Refusals by an engine that
 * is not busy trip its endpoint, so ten of them take more than half an hour, and a broken endpoint does not empty the queue.
 */
export const maximumRefusalsInARow = 10;
