import { AppError } from '../errors.ts';

const longestChain = 8;
/** Of gRPC: DEADLINE_EXCEEDED and UNAVAILABLE. */
const awayCodes: readonly unknown[] = [4, 14];

/**
 * Whether an error, or one that caused it, means that another service is away or overloaded. Its code and message say all
 * there is to know; its stack only shows who happened to call. `isConnectionError` recognises errors of connections.
 */
export function isOutage(error: unknown, isConnectionError: (error: unknown) => boolean): boolean {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < longestChain; depth += 1) {
    if (isConnectionError(current) || isUnavailable(current)) return true;
    if (current instanceof AggregateError && current.errors.some((one) => isConnectionError(one))) return true;
    current = current.cause;
  }
  return false;
}

function isUnavailable(error: Error): boolean {
  if (error instanceof AppError) return error.status === 503;
  // The native part of Temporal's SDK has an error for connections; the other part has those of gRPC.
  if (error.name === 'TransportError') return true;
  return 'details' in error && 'code' in error && awayCodes.includes(error.code);
}
