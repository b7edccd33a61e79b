import type { Experimental_VideoModelV4OperationWebhook } from '@ai-sdk/provider';
import { unwrapWebhook } from '@kinora/sdk';

/** The webhook once it has come and its signature fits; rejects with a WebhookVerificationError otherwise. */
export async function verifiedWebhook(
  received: PromiseLike<Experimental_VideoModelV4OperationWebhook>,
  secret: string,
): Promise<Experimental_VideoModelV4OperationWebhook> {
  const webhook = await received;
  const { headers, body } = webhook;
  // The signature is over the text. The service writes JSON as JSON.stringify does, so a body that was parsed gives the same text.
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  await unwrapWebhook(text, new Headers(headers), secret);
  return webhook;
}
