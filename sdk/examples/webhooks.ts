import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { unwrapWebhook, WebhookVerificationError } from '@kinora/sdk';

const secret = process.env['KINORA_WEBHOOK_SECRET'] ?? ''; // whsec_…
const port = Number(process.env['PORT'] ?? 3000);

async function receive(request: IncomingMessage): Promise<number> {
  try {
    // Pass the text unchanged: the signature covers these bytes, not JSON that was parsed and serialised again.
    const event = await unwrapWebhook(await text(request), request.headers, secret);
    if (event.type === 'video.completed') console.log(`${event.data.id} is ready`);
    return 204; // for any status other than 2xx, the service retries later
  } catch (error) {
    return error instanceof WebhookVerificationError ? 400 : 500;
  }
}

createServer((request, response) => void receive(request).then((status) => response.writeHead(status).end())).listen(
  port,
  () => console.log(`listening on ${port}`),
);
