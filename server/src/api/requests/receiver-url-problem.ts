import type { RefusalReason } from '../../errors.ts';
import type { Problem } from '../../http/problems.ts';
import { longestReceiverUrl } from '../schemas/webhook-endpoint-schema.ts';

/** Returns why a caller's URL can never be called, or null if only calling it can show that. */
export type RefusalOfUrl = (url: string) => RefusalReason | null;

const onOwnMachine = 'To receive webhooks on your own machine, run `kinora listen`.';

const sentences: Partial<Record<RefusalReason, [code: string, rule: string]>> = {
  bad_url: ['malformed', 'must be an https URL.'],
  scheme: ['not_allowed', `must be an https URL. ${onOwnMachine} An operator can set KINORA_OUTBOUND_ALLOW_HTTP.`],
  credentials: ['not_allowed', 'must not contain a user name or password.'],
  port: [
    'not_allowed',
    `must use port 443 or 80. ${onOwnMachine} An operator can allow other ports with KINORA_OUTBOUND_ALLOWED_PORTS.`,
  ],
  forbidden_address: [
    'not_allowed',
    `leads to an address that this service does not call. Use a public https URL. ${onOwnMachine} An operator can allow networks with KINORA_OUTBOUND_ALLOWED_NETWORKS.`,
  ],
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
