import { createHmac, randomBytes } from 'node:crypto';
import { UsageError } from './exit-codes.ts';

interface Message {
  /** The id of the event, the same on every retry. */
  id: string;
  body: string;
  secret: string;
}

/** The length of a secret in bytes, as the specification demands it. */
const [shortest, longest] = [24, 64];

/** Returns the three headers of Standard Webhooks 1.0, as the service sends them. */
export function signWebhook({ id, body, secret }: Message, now: number = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Returns a new secret, as long as those of the service. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(shortest).toString('base64')}`;
}

/** Rejects a text that cannot be a secret now. Otherwise the handler would reject every webhook signed with it. */
export function checkWebhookSecret(secret: string): string {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length >= shortest && length <= longest) return secret;
  throw new UsageError(
    `KINORA_WEBHOOK_SECRET must be whsec_ and ${shortest} to ${longest} bytes in base64. If it is not set, a secret is generated.`,
  );
}
