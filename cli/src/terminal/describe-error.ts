import { AuthenticationError, ConnectionError, KinoraError, TaskFailedError } from '@kinora/sdk';
import { RefusedKeyError, UsageError } from '../exit-codes.ts';
import { oneLine } from './one-line.ts';

/** More would scroll the first problem off the screen, as for a file that is not a jobs file at all. */
const mostProblems = 10;

/** Describes an error for people: what happened, what to do, and the request id for the service's logs. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError) return [error.message, ...problemLines(error.problems)].join('\n');
  if (!(error instanceof KinoraError)) return error.message;
  const details = error.details.map(({ param, message }) => `  ${oneLine(`${param}: ${message}`)}`);
  const lines = [oneLine(error.message), ...(details.length > 1 ? details : [])];
  const advice = adviceFor(error);
  if (advice) lines.push(`  ${advice}`);
  if (error.requestId) lines.push(`  (request ${error.requestId})`);
  return lines.join('\n');
}

/** An error for other programs. It has the fields of the API's own errors, and the same ones for every error. */
export interface JsonError {
  error: {
    message: string;
    /** The service's code; for an error of the command itself, one that cli/README.md lists. */
    code: string;
    param: string | null;
    retryable: boolean;
    details: readonly unknown[];
  };
  request_id: string | null;
  /** The task that the command had created, so that a program can follow it instead of creating it twice. */
  task?: unknown;
}

/** Returns an error as the value that `--json` prints. */
export function errorAsJson(error: unknown): JsonError {
  const isFromClient = error instanceof KinoraError;
  return {
    error: {
      message: oneLine(error instanceof Error ? error.message : String(error)),
      code: codeOf(error),
      param: isFromClient ? error.param : null,
      retryable: isFromClient && error.isRetryable,
      details: isFromClient ? error.details : error instanceof UsageError ? error.problems.map(detailOf) : [],
    },
    request_id: isFromClient ? error.requestId : null,
    ...(error instanceof Error && 'task' in error && error.task ? { task: error.task } : {}),
  };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof ConnectionError) return 'connection_failed';
  // A proxy has sent its own page.
  if (error instanceof KinoraError && error.status !== undefined) return `http_${error.status}`;
  return 'unexpected_error';
}

function detailOf(message: string): object {
  return { param: null, code: 'invalid_usage', message };
}

function problemLines(problems: readonly string[]): string[] {
  const shown = problems.slice(0, mostProblems).map((problem) => `  ${problem}`);
  const missing = problems.length - shown.length;
  return missing > 0 ? [...shown, `  … and ${missing} more`] : shown;
}

function adviceFor(error: KinoraError): string | null {
  if (error instanceof ConnectionError) {
    return 'Check the address (KINORA_BASE_URL or `kinora login`), and that the service is running.';
  }
  // `kinora login` must not advise to run itself.
  if (error instanceof RefusedKeyError) return 'Nothing was stored.';
  if (error instanceof AuthenticationError) return 'Set another KINORA_API_KEY, or run `kinora login`.';
  if (error instanceof TaskFailedError) return `See what happened with \`kinora show ${error.task.id}\`.`;
  return null;
}
