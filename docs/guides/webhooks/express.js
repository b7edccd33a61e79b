import { unwrapWebhook } from '@kinora/sdk';
import express from 'express';

const app = express();

// The signature covers the raw bytes, so express.json() must not read this route first.
app.post('/webhooks/kinora', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  let event;
  try {
    event = await unwrapWebhook(request.body, request.headers, process.env.KINORA_WEBHOOK_SECRET ?? '');
  } catch (error) {
    console.log(`refused: ${String(error)}`);
    return response.status(400).end();
  }
  // Store the event, respond within 20 seconds, and do any long work after that.
  // The event of `kinora webhooks test` is about no task.
  console.log(event.type, 'id' in event.data ? event.data.id : '');
  response.status(204).end();
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on port ${server.address().port}`);
});
