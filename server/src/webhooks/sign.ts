import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret as Standard Webhooks 1.0 writes it: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** What is signed: the event's id, the moment of this try, and the very bytes of the body. */
export interface SignedMessage {
  id: string;
  at: Date;
  body: string;
}

/** The three headers of Standard Webhooks 1.0, with one signature a secret: two while a secret is being rotated. */
export function signWebhook({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
