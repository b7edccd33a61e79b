import {
  AuthenticationError,
  ConnectionError,
  GoneError,
  InvalidRequestError,
  KinoraError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TaskCancelledError,
  TaskFailedError,
} from '@kinora/sdk';

/** The exit codes that scripts can rely on: a promised interface, which `kinora --help` lists. */
export const exitCodes = {
  ok: 0,
  /** Any error without a code of its own. */
  error: 1,
  /** The command line or the request is wrong. */
  usage: 2,
  /** The task failed; in a batch, at least one task failed. */
  failed: 3,
  /** The task was cancelled. */
  cancelled: 4,
  /** There is no key, or the key lacks permission. */
  unauthorised: 5,
  /** The resource does not exist or was deleted. */
  notFound: 6,
  /** A limit of the project was reached. */
  limited: 7,
  /** The service could not be reached, or is broken. */
  unavailable: 8,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** Printed below the help. */
export const exitCodeHelp = `
Exit codes:
    0  done                              5  no key, or one that may not do this
    1  anything without a code here      6  there is no such thing, or not any more
    2  the command line or the request   7  a limit of the project was reached
       is wrong                          8  the service cannot be reached or is broken
    3  the task failed; in a batch, at   130  interrupted by Ctrl-C
       least one did
    4  the task was cancelled`;

/** The command line is wrong in a way that only the command itself can check. */
export class UsageError extends Error {}

/** No service or key is known yet. */
export class NoCredentialsError extends UsageError {}

/** Returns the exit code for the error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof TaskFailedError) return exitCodes.failed;
  if (error instanceof TaskCancelledError) return exitCodes.cancelled;
  if (error instanceof NoCredentialsError || error instanceof AuthenticationError || error instanceof PermissionError) {
    return exitCodes.unauthorised;
  }
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exitCodes.usage;
  if (error instanceof NotFoundError || error instanceof GoneError) return exitCodes.notFound;
  if (error instanceof RateLimitError) return exitCodes.limited;
  if (error instanceof ConnectionError) return exitCodes.unavailable;
  if (error instanceof KinoraError && (error.status ?? 0) >= 500) return exitCodes.unavailable;
  return exitCodes.error;
}
