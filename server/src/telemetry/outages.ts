import { AppError } from '../errors.ts';

const longestChain = 8;
/** The gRPC codes DEADLINE_EXCEEDED and UNAVAILABLE. */
const outageCodes: readonly unknown[] = [4, 14];

/** Whether an error, or its cause, is another service's outage: code and message suffice then, without a stack. */
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
  // The native part of Temporal's SDK throws TransportError; its other part throws gRPC errors.
  if (error.name === 'TransportError') return true;
  return 'details' in error && 'code' in error && outageCodes.includes(error.code);
}
