import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

type Headers = Readonly<Record<string, string>>;
const toleranceSeconds = 5 * 60;

/** Verifies a signature with the official package. */
export function isAcceptedByPackage(secret: string, headers: Headers, body: string): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

/** Verifies a signature with code written only from the text of Standard Webhooks 1.0. */
export function isAcceptedBySpecification(secret: string, headers: Headers, body: string, now = Date.now()): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures || !secret.startsWith('whsec_')) return false;
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  if (key.length < 24 || key.length > 64) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest();
  return signatures.split(' ').some((part) => {
    const [version, encoded = ''] = part.split(',', 2);
    const given = Buffer.from(encoded, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
