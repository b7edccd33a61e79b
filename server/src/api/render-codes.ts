import { taskFailureText } from '../domain/failure.ts';
import { AppError } from '../errors.ts';
import { errorTypes, type PublicError } from '../http/error-schema.ts';
import { presentError } from '../http/present-error.ts';
import { type Explanation, explainedErrors, explainedFailures, explainedWarnings } from './explained-codes.ts';

/** Renders all codes of requests, failed tasks and warnings as Markdown, with headings that people can link to. */
export function renderCodes(): string {
  return `## Codes of requests

These are in \`error.code\` of a response. A code is marked as retryable if a program may
send the same request again without a change, and without the risk of a second effect.

Each entry of \`details\` has its own code: \`missing\`, \`wrong_type\`, \`not_allowed\`, \`malformed\`, \`unknown\`,
\`not_found\`, \`too_small\`, \`too_big\`, \`too_short\`, \`too_long\` or \`too_many\`.

${errorTypes.map((type) => `### ${type}\n\n${errorsOf(type)}`).join('\n\n')}

## Codes of failed tasks

A task that fails has \`status: "failed"\` and one of these codes in \`error.code\`. A code is marked as retryable if a new task
with the same request may succeed.

${entriesOf(explainedFailures)
  .map(([code, explanation]) => entry(code, taskFailureText[code].retryable ? ['Retryable'] : [], explanation))
  .join('\n\n')}

## Codes of warnings

A request with warnings is accepted. They are in \`warnings\` of the task and of the estimate.

${entriesOf(explainedWarnings)
  .map(([code, explanation]) => entry(code, [], explanation))
  .join('\n\n')}`;
}

function errorsOf(type: PublicError['error']['type']): string {
  return entriesOf(explainedErrors)
    .map(([code, explanation]) => ({ error: new AppError(code), explanation }))
    .filter(({ error }) => presentError(error, { requestId: '', isRepeatable: false }).error.type === type)
    .toSorted((one, other) => one.error.status - other.error.status)
    .map(({ error, explanation }) => entry(error.code, [`Status ${error.status}`, ...retryOf(error)], explanation))
    .join('\n\n');
}

function entry(code: string, facts: readonly string[], { happened, todo }: Explanation): string {
  const lead = facts.length > 0 ? `**${facts.join(', ')}.** ` : '';
  return `#### ${code}\n\n${lead}${happened} ${todo}`;
}

/** Returns whether a request that failed like this may be sent again. */
function retryOf(error: AppError): string[] {
  const isRetryable = (isRepeatable: boolean): boolean =>
    presentError(error, { requestId: '', isRepeatable }).error.retryable;
  if (isRetryable(false)) return ['retryable'];
  return isRetryable(true) ? ['retryable if it was a GET or had an Idempotency-Key'] : [];
}

// The tables have exactly the keys of their type.
function entriesOf<Code extends string, Value>(record: Record<Code, Value>): [Code, Value][] {
  return Object.entries(record) as [Code, Value][];
}
