import { taskFailureText } from '../domain/failure.ts';
import { AppError } from '../errors.ts';
import { explainedErrors, explainedFailures, explainedWarnings } from './explained-codes.ts';
import { presentError } from './presenters/present-error.ts';
import { errorTypes, type PublicError } from './schemas/error-schema.ts';

const detailCodes =
  'Each entry of `details` has a code of its own: `missing`, `wrong_type`, `not_allowed`, `malformed`, `unknown`, ' +
  '`not_found`, `too_small`, `too_big`, `too_short`, `too_long` or `too_many`.';

/** The codes of errors are the same for every request. */
const context = { requestId: '', isRepeatable: false };

/** Renders all codes that a caller can meet as Markdown: of requests, failed tasks and warnings. */
export function renderCodes(): string {
  return `## Codes of requests

"Retry" is the field \`retryable\`: whether the same request may succeed later. ${detailCodes}

${errorTypes.map((type) => `### \`${type}\`\n\n${tableOfErrors(type)}`).join('\n\n')}

## Codes of failed tasks

A task that fails has \`status: "failed"\` and one of these codes in \`error.code\`. "Retry" says whether a new task with the
same request may succeed.

${table(
  ['Code', 'Retry', 'What happened', 'What to do'],
  entriesOf(explainedFailures).map(([code, { happened, todo }]) => [
    `\`${code}\``,
    taskFailureText[code].retryable ? 'yes' : 'no',
    happened,
    todo,
  ]),
)}

## Codes of warnings

A request with warnings is accepted. They are in \`warnings\` of the task and of the estimate.

${table(
  ['Code', 'What happened', 'What to do'],
  entriesOf(explainedWarnings).map(([code, { happened, todo }]) => [`\`${code}\``, happened, todo]),
)}`;
}

function tableOfErrors(type: PublicError['error']['type']): string {
  const errors = entriesOf(explainedErrors).map(([code, explanation]) => ({
    error: new AppError(code),
    ...explanation,
  }));
  const rows = errors
    .filter(({ error }) => presentError(error, context).error.type === type)
    .toSorted((one, other) => one.error.status - other.error.status)
    .map(({ error, happened, todo }) => [`\`${error.code}\``, String(error.status), retryOf(error), happened, todo]);
  return table(['Code', 'Status', 'Retry', 'What happened', 'What to do'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Returns whether a request that failed like this may be sent again. */
function retryOf(error: AppError): string {
  const isRetryable = (isRepeatable: boolean): boolean =>
    presentError(error, { ...context, isRepeatable }).error.retryable;
  if (isRetryable(false)) return 'yes';
  return isRetryable(true) ? '`GET`, or with `Idempotency-Key`' : 'no';
}

// The tables have exactly the keys of their type.
function entriesOf<Code extends string, Value>(record: Record<Code, Value>): [Code, Value][] {
  return Object.entries(record) as [Code, Value][];
}
