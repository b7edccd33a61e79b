import { setTimeout as pause } from 'node:timers/promises';
import { Kinora } from '@kinora/sdk';

const kinora = new Kinora(); // its key needs the scope webhooks:manage
const [, , url = 'https://example.com/webhooks/kinora'] = process.argv;

const endpoint = await kinora.webhookEndpoints.create({ url, events: ['video.completed', 'video.failed'] });
console.log(`${endpoint.id}: ${endpoint.secret}`); // the secret is never shown again

// Send a test event, and see what the endpoint responds.
const { id } = await kinora.webhookEndpoints.test(endpoint.id);
for (;;) {
  const { status, tries } = await kinora.webhookEndpoints.deliveries.get(id);
  if (tries.length > 0) {
    console.log(`${id}: ${status}`, tries);
    break;
  }
  await pause(500);
}
