import { unwrapWebhook, type WebhookEvent } from '@kinora/sdk';

/** In a Next.js application this file is app/webhooks/kinora/route.ts. */
export async function POST(request: Request): Promise<Response> {
  let event: WebhookEvent;
  try {
    // The signature covers the raw text: use text(), not json().
    event = await unwrapWebhook(await request.text(), request.headers, process.env['KINORA_WEBHOOK_SECRET'] ?? '');
  } catch (error) {
    console.log(`refused: ${String(error)}`);
    return new Response(null, { status: 400 });
  }
  // Store the event, respond within 20 seconds, and do any long work after that.
  // The event of `kinora webhooks test` is about no task.
  console.log(event.type, 'id' in event.data ? event.data.id : '');
  return new Response(null, { status: 204 });
}
