import { createHmac, randomBytes } from 'node:crypto';
import { UsageError } from './exit-codes.ts';

interface Message {
  /** The event's id: the same at every try. */
  id: string;
  body: string;
  secret: string;
}

/** Between these the specification wants a secret to be, in bytes. */
const [shortest, longest] = [24, 64];

/** The three headers of Standard Webhooks 1.0, as the service itself sends them. */
export function signWebhook({ id, body, secret }: Message, now: number = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** A new secret, as long as those of the service. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(shortest).toString('base64')}`;
}

/** Refuses what could not have been a secret, before a handler refuses all that it signs. */
export function checkWebhookSecret(secret: string): string {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length >= shortest && length <= longest) return secret;
  throw new UsageError(
    `KINORA_WEBHOOK_SECRET must be whsec_ and ${shortest} to ${longest} bytes in base64. Without it a secret is made.`,
  );
}
