import type { Experimental_VideoModelV4OperationWebhook } from '@ai-sdk/provider';
import { unwrapWebhook } from '@kinora/sdk';

/** Waits for the webhook, verifies its signature and returns it. Rejects with a WebhookVerificationError otherwise. */
export async function verifiedWebhook(
  received: PromiseLike<Experimental_VideoModelV4OperationWebhook>,
  secret: string,
): Promise<Experimental_VideoModelV4OperationWebhook> {
  const webhook = await received;
  const { headers, body } = webhook;
  // The signature covers the text. The service serialises with JSON.stringify, so a parsed body gives the same text
  // again.
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  await unwrapWebhook(text, new Headers(headers), secret);
  return webhook;
}
