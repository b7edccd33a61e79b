import { AuthenticationError, ConnectionError, KinoraError, TaskFailedError } from '@kinora/sdk';
import { oneLine } from './one-line.ts';

/** Describes an error for people: what happened, what to do, and the request id for the service's logs. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof KinoraError)) return error.message;
  const details = error.details.map(({ param, message }) => `  ${oneLine(`${param}: ${message}`)}`);
  const lines = [oneLine(error.message), ...(details.length > 1 ? details : [])];
  const advice = adviceFor(error);
  if (advice) lines.push(`  ${advice}`);
  if (error.requestId) lines.push(`  (request ${error.requestId})`);
  return lines.join('\n');
}

/** Renders an error as one line of JSON, for `--json`. */
export function errorAsJson(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof KinoraError)) return JSON.stringify({ error: { message }, ...taskOf(error) });
  const { code, param, details, requestId, isRetryable } = error;
  return JSON.stringify({
    error: { message, code, param, details, retryable: isRetryable },
    ...(requestId === null ? {} : { request_id: requestId }),
    ...taskOf(error),
  });
}

/** Returns the task of an error, so that a program can follow it instead of creating it twice. */
function taskOf(error: unknown): { task?: unknown } {
  return error instanceof Error && 'task' in error && error.task ? { task: error.task } : {};
}

function adviceFor(error: KinoraError): string | null {
  if (error instanceof ConnectionError) {
    return 'Is the address right (KINORA_BASE_URL, or `kinora login`), and does the service run?';
  }
  if (error instanceof AuthenticationError) return 'Set another KINORA_API_KEY, or run `kinora login`.';
  if (error instanceof TaskFailedError) return `See what happened with \`kinora show ${error.task.id}\`.`;
  return null;
}
