import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './task.ts';

const toleranceSeconds = 5 * 60;

/**
 * Verifies the signature of a webhook and returns its event. `body` is the unparsed request body, as text or bytes;
 * `secret` is the `whsec_…` of the webhook. Throws a WebhookVerificationError unless the secret signed the webhook
 * within five minutes of now.
 */
export async function unwrapWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
): Promise<WebhookEvent> {
  const text = textOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The webhook is too old, or one of the two clocks is wrong.');
  }
  // JavaScript callers may pass an environment variable that is not set.
  const secretBytes = bytesOf(secret?.replace(/^whsec_/, '') ?? '');
  if (!secretBytes?.length) throw new WebhookVerificationError('The secret must be whsec_ followed by base64.');
  const key = await crypto.subtle.importKey('raw', secretBytes, hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures) {
    const [version, value = ''] = signature.split(',');
    const bytes = version === 'v1' ? bytesOf(value) : null;
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
      return JSON.parse(text) as WebhookEvent; // the signature proves that the service wrote it
    }
  }
  throw new WebhookVerificationError(
    'No signature of the webhook matches: the secret is another one, or the body was changed.',
  );
}

const hmac = { name: 'HMAC', hash: 'SHA-256' };

function textOf(body: string | Uint8Array): string {
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new WebhookVerificationError('The body was already parsed. Pass its text or bytes unchanged.', {
      cause,
    });
  }
}

/** Finds a header. Frameworks use different classes for headers, different case, and sometimes a list per value. */
function headerOf(headers: Headers | Record<string, string | string[] | undefined>, name: string): string {
  const found =
    typeof headers?.get === 'function'
      ? headers.get(name)
      : Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = Array.isArray(found) ? found.join(' ') : found;
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The webhook has no header ${name}.`);
}

/** Returns null if the text is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
