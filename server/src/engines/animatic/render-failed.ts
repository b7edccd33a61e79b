import type { AttemptFailureCode } from '../../domain/failure.ts';

/** A render came to nothing; the message is fit for those who read the job, the cause for our log alone. */
export class RenderFailed extends Error {
  readonly code: AttemptFailureCode;

  constructor(code: AttemptFailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RenderFailed';
    this.code = code;
  }
}
