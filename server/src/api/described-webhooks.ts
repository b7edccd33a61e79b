const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' as const },
  description,
});

/** The request that webhook endpoints and callbacks receive, for the OpenAPI document. */
export const describedWebhooks = {
  webhooks: {
    event: {
      post: {
        operationId: 'receiveEvent',
        summary: 'Receive an event',
        description:
          'The request that your webhook endpoints and the `callback_url` of tasks receive, signed as in Standard ' +
          'Webhooks 1.0. Respond with 2xx within 20 s; otherwise the service [tries again](#description/webhooks) with ' +
          'the same `webhook-id`. A response with 410 disables the endpoint, or ends the callbacks of the task.',
        tags: ['Webhooks'],
        security: [],
        parameters: [
          header('webhook-id', 'The id of the event, the same at every try. Use it to ignore repetitions.'),
          header('webhook-timestamp', 'When this try was signed. Unix seconds. Refuse a time that is far from yours.'),
          header(
            'webhook-signature',
            'One or more signatures, separated by spaces: `v1,` and the base64 of an HMAC-SHA256 of id, timestamp ' +
              'and body.',
          ),
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
        },
        responses: {
          '200': { description: 'Any 2xx: you have received the event.' },
          '410': {
            description: 'You want no more events: the endpoint is disabled, or the callbacks of the task end.',
          },
        },
      },
    },
  },
};
