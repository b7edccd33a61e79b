import { setTimeout as pause } from 'node:timers/promises';
import { Kinora } from '@kinora/sdk';

const kinora = new Kinora(); // its key needs the scope webhooks:manage
const [, , url = 'https://example.com/webhooks/kinora'] = process.argv;

const endpoint = await kinora.webhookEndpoints.create({ url, events: ['video.completed', 'video.failed'] });
console.log(`${endpoint.id}: ${endpoint.secret}`); // the secret is never shown again

// Send a test event, which is tried once, and see what the endpoint responds.
const { id } = await kinora.webhookEndpoints.test(endpoint.id);
let delivery = await kinora.webhookEndpoints.deliveries.get(id);
while (delivery.status === 'pending') {
  await pause(500);
  delivery = await kinora.webhookEndpoints.deliveries.get(id);
}
console.log(`${id}: ${delivery.status}`, delivery.tries);
