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

/** What scripts can go by; they are promises, and `kinora --help` lists them. */
export const exitCodes = {
  ok: 0,
  /** Anything that has no code of its own. */
  error: 1,
  /** The command line or the request is wrong. */
  usage: 2,
  /** The task failed, or in a batch at least one did. */
  failed: 3,
  /** The task was cancelled. */
  cancelled: 4,
  /** There is no key, or it may not do this. */
  unauthorised: 5,
  /** There is no such thing, or not any more. */
  notFound: 6,
  /** A limit of the project was reached. */
  limited: 7,
  /** The service could not be reached, or is broken. */
  unavailable: 8,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** What stands below the help. */
export const exitCodeHelp = `
Exit codes:
    0  done                              5  no key, or one that may not do this
    1  anything without a code here      6  there is no such thing, or not any more
    2  the command line or the request   7  a limit of the project was reached
       is wrong                          8  the service cannot be reached or is broken
    3  the task failed; in a batch, at   130  interrupted by Ctrl-C
       least one did
    4  the task was cancelled`;

/** The command line is wrong in a way that only the command itself can see. */
export class UsageError extends Error {}

/** No service or key is known yet. */
export class NoCredentialsError extends UsageError {}

/** The connection broke in the middle of a file, however often it was tried. */
export class DownloadError extends Error {}

/** The exit code of whatever ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof TaskFailedError) return exitCodes.failed;
  if (error instanceof TaskCancelledError) return exitCodes.cancelled;
  if (error instanceof NoCredentialsError || error instanceof AuthenticationError || error instanceof PermissionError) {
    return exitCodes.unauthorised;
  }
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exitCodes.usage;
  if (error instanceof NotFoundError || error instanceof GoneError) return exitCodes.notFound;
  if (error instanceof RateLimitError) return exitCodes.limited;
  if (error instanceof ConnectionError || error instanceof DownloadError) return exitCodes.unavailable;
  if (error instanceof KinoraError && (error.status ?? 0) >= 500) return exitCodes.unavailable;
  return exitCodes.error;
}
