const renderFailureCodes = [
  'engine_out_of_memory',
  'engine_crashed',
  'engine_lost',
  'generation_stalled',
  'output_invalid',
] as const;

/** Why a job has no video. The service uses the same codes for failed attempts. */
export type RenderFailureCode = (typeof renderFailureCodes)[number];

export function isRenderFailureCode(code: unknown): code is RenderFailureCode {
  return renderFailureCodes.some((known) => known === code);
}

/** A render that failed. Clients see the message; the cause is only logged. */
export class RenderFailed extends Error {
  readonly code: RenderFailureCode;

  constructor(code: RenderFailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RenderFailed';
    this.code = code;
  }
}
