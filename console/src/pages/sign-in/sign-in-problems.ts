import { isAwayError } from '../../api/connection.ts';
import { ConsoleApiError } from '../../api/console-api.ts';
import { formatDuration } from '../../design/format.ts';

const identityProblems: Readonly<Record<string, string>> = {
  openid_away: 'Your identity provider does not respond. Try again in a minute.',
  openid_declined: 'Your identity provider refused the sign-in, or you cancelled it there.',
  openid_failed: 'The response of your identity provider was invalid or too old. Sign in again from this page.',
  no_role: 'Your identity provider knows you, but you have no role here yet. Ask an operator to add you.',
  email_not_verified:
    'Your identity provider has not verified your e-mail address. Verify it there, then sign in again.',
  email_taken: 'Another sign-in already uses your e-mail address. Sign in with your password, or ask an operator.',
  disabled: 'Your account is disabled. Ask an operator to enable it.',
  other_person: 'You used another account than the one that you are signed in with, so nothing was confirmed.',
};

/** Returns in plain words why a sign-in with an identity provider did not work. Unknown codes are not shown. */
export function explainIdentityProblem(code: string): string {
  return identityProblems[code] ?? 'You could not be signed in. Try again, or ask an operator.';
}

/** Returns in plain words why the server refused a sign-in or a new password. */
export function explainSignInError(error: unknown): string {
  if (isAwayError(error)) return 'Kinora cannot be reached. Check your connection, and try again.';
  if (!(error instanceof ConsoleApiError)) return 'Something went wrong on this page. Reload it, and try again.';
  if (error.status === 429) {
    const wait = error.retryAfterSeconds === null ? 'a minute' : formatDuration(error.retryAfterSeconds);
    return `Too many attempts. Try again in ${wait}.`;
  }
  const [detail] = error.details;
  return detail?.message ?? error.message;
}
