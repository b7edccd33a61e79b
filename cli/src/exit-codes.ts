import {
  AuthenticationError,
  ConnectionError,
  GoneError,
  InvalidRequestError,
  KinoraError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Task,
  TaskCancelledError,
  TaskFailedError,
} from '@kinora/sdk';

/** The exit codes that scripts can rely on: a promised interface, which `kinora --help` lists. */
export const exitCodes = {
  ok: 0,
  /** Any other error. */
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
    0  success
    1  any other error
    2  the command line or the request is wrong
    3  the task failed; in a batch, at least one task failed or was cancelled
    4  the task was cancelled
    5  the key is missing, invalid or lacks permission
    6  not found: an unknown id, a deleted task, or a video that is not ready
    7  a limit of the project was reached
    8  the service is unreachable or has failed
  130  interrupted by Ctrl-C`;

/** The command line is wrong in a way that only the command itself can check. */
export class UsageError extends Error {
  readonly code: string = 'invalid_usage';
  /** The problems one by one, if there are several. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** No service or key is known yet. */
export class NoCredentialsError extends UsageError {
  override readonly code: string = 'no_credentials';
}

/** The service does not accept the key that the user has just typed. */
export class RefusedKeyError extends AuthenticationError {
  constructor({ message, status, code, requestId }: AuthenticationError) {
    super(message, { status, code, requestId });
  }
}

/** Ctrl-C ended the command, and its tasks continue. */
export class InterruptedError extends Error {
  readonly code = 'interrupted';
  readonly task: Task | null;

  constructor(message: string, task: Task | null) {
    super(message);
    this.task = task;
  }
}

/** Returns the exit code for the error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof TaskFailedError) return exitCodes.failed;
  if (error instanceof TaskCancelledError) return exitCodes.cancelled;
  if (error instanceof NoCredentialsError || error instanceof AuthenticationError || error instanceof PermissionError) {
    return exitCodes.unauthorised;
  }
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exitCodes.usage;
  if (error instanceof InterruptedError) return exitCodes.interrupted;
  if (error instanceof NotFoundError || error instanceof GoneError) return exitCodes.notFound;
  if (error instanceof RateLimitError) return exitCodes.limited;
  if (error instanceof ConnectionError) return exitCodes.unavailable;
  if (error instanceof KinoraError && (error.status ?? 0) >= 500) return exitCodes.unavailable;
  return exitCodes.error;
}
