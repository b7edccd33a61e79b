import { unwrapWebhook, type WebhookEvent } from '@kinora/sdk';
import { fastify } from 'fastify';

const server = fastify();

await server.register(async (webhooks) => {
  // The signature covers the raw text, so JSON is not parsed within this scope.
  webhooks.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  webhooks.post<{ Body: string }>('/webhooks/kinora', async (request, reply) => {
    let event: WebhookEvent;
    try {
      event = await unwrapWebhook(request.body, request.headers, process.env['KINORA_WEBHOOK_SECRET'] ?? '');
    } catch (error) {
      console.log(`refused: ${String(error)}`);
      return reply.code(400).send();
    }
    // Store the event, respond within 20 seconds, and do any long work after that.
    // The event of `kinora webhooks test` is about no task.
    console.log(event.type, 'id' in event.data ? event.data.id : '');
    return reply.code(204).send();
  });
});

const address = await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log(`listening on port ${new URL(address).port}`);
