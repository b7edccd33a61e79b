import type { RefusalReason } from '../../errors.ts';
import { longestReceiverUrl } from '../schemas/webhook-endpoint-schema.ts';
import type { Problem } from './problems.ts';

/** Returns why a caller's URL can never be called, or null if only calling it can show that. */
export type RefusalOfUrl = (url: string) => RefusalReason | null;

const sentences: Partial<Record<RefusalReason, [code: string, rule: string]>> = {
  bad_url: ['malformed', 'must be an https URL'],
  scheme: ['not_allowed', 'must be an https URL; other schemes are not called'],
  credentials: ['not_allowed', 'must not hold a user name or password'],
  port: ['not_allowed', 'must not name a port other than 443 and 80'],
  forbidden_address: ['not_allowed', 'leads to an address that this service does not call; use a public https URL'],
};

/** Returns what is wrong with the URL of a webhook, as far as the URL itself shows. Every try checks it again. */
export function receiverUrlProblem(url: string, param: string, refusalOfUrl: RefusalOfUrl): Problem | null {
  if (url.length > longestReceiverUrl) {
    const message = `${param} must be at most ${longestReceiverUrl} characters`;
    return { error: 'invalid_parameter', param, code: 'too_long', message };
  }
  const reason = refusalOfUrl(url);
  if (reason === null) return null;
  const [code, rule] = sentences[reason] ?? ['not_allowed', 'is not an address that this service calls'];
  return { error: 'invalid_parameter', param, code, message: `${param} ${rule}` };
}
