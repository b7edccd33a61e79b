import { OutboundRefused } from '../errors.ts';

/** Converts a failure of the HTTP client to a refusal. */
export function toRefusal(cause: unknown): unknown {
  if (cause instanceof OutboundRefused) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  // Our own mistake, such as a line break in a header we send, is not the other side's failure.
  if (code === 'UND_ERR_INVALID_ARG') return cause;
  return new OutboundRefused(code === 'UND_ERR_HEADERS_OVERFLOW' ? 'headers_too_large' : 'connection_failed', {
    cause,
  });
}
