/** The request that webhook endpoints and callbacks receive, for the OpenAPI document. */
export const describedWebhooks = {
  webhooks: {
    event: {
      post: {
        operationId: 'receiveEvent',
        summary: 'An event of a task',
        description:
          'Sent to the webhook endpoints of the project and to the callback_url of the task, signed as Standard Webhooks 1.0 say ' +
          '(`webhook-id`, `webhook-timestamp`, `webhook-signature`). Only a 2xx within 20 s counts as received; otherwise it ' +
          'comes again, ten times over 75 hours, with the same `webhook-id`. 410 disables the endpoint.',
        tags: ['Webhooks'],
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
        },
        responses: {
          '200': { description: 'Any 2xx: the event was received.' },
          '410': { description: 'Nothing more is to be sent there.' },
        },
      },
    },
  },
};
