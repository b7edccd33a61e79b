import { createHmac } from 'node:crypto';
import { random } from '../domain/random.ts';

const prefix = 'whsec_';

/** Returns a new secret in the format of Standard Webhooks 1.0: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return prefix + random.bytes(32).toString('base64');
}

/** The parts that are signed: the event's id, the time of this try and the exact bytes of the body. */
export interface SignedMessage {
  id: string;
  at: Date;
  body: string;
}

/** Returns the three headers of Standard Webhooks 1.0 with one signature per secret: two during a rotation. */
export function signWebhook({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
