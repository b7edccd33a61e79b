import type {
  CallbackSecret,
  ChangeWebhookEndpoint,
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  IssuedWebhookEndpoint,
  ListWebhookDeliveriesData,
  ListWebhookEndpointsData,
  RotateWebhookSecret,
  TriedWebhookDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import { listPages, type PagePromise } from './list-pages.ts';
import type { ResponsePromise } from './response-promise.ts';

/** Manages where the service sends events. Every call needs a key with the scope `webhooks:manage`. */
export interface WebhookEndpoints {
  /** Creates an endpoint. Only this response and `rotateSecret` contain its secret: store it now. */
  create(request: CreateWebhookEndpoint, options?: RequestOptions): ResponsePromise<IssuedWebhookEndpoint>;
  /** Lists the endpoints, newest first by default. */
  list(query?: NonNullable<ListWebhookEndpointsData['query']>, options?: RequestOptions): PagePromise<WebhookEndpoint>;
  /** Returns an endpoint. */
  get(endpointId: string, options?: RequestOptions): ResponsePromise<WebhookEndpoint>;
  /** Changes the given fields of an endpoint. `status: 'enabled'` revives one that the service disabled. */
  update(
    endpointId: string,
    changes: ChangeWebhookEndpoint,
    options?: RequestOptions,
  ): ResponsePromise<WebhookEndpoint>;
  /** Deletes an endpoint. Nothing more is sent to it. */
  delete(endpointId: string, options?: RequestOptions): ResponsePromise<DeletedWebhookEndpoint>;
  /** Sends a `webhook.test` event to an endpoint. `deliveries.get` shows what became of it. */
  test(endpointId: string, options?: RequestOptions): ResponsePromise<WebhookDelivery>;
  /** Creates a new secret for an endpoint. The old one also signs for `overlap_seconds`. */
  rotateSecret(
    endpointId: string,
    request?: RotateWebhookSecret,
    options?: RequestOptions,
  ): ResponsePromise<IssuedWebhookEndpoint>;
  /** The secret that signs what is sent to the `callback_url` of tasks. */
  callbackSecret: {
    /** Returns the secret. */
    get(options?: RequestOptions): ResponsePromise<CallbackSecret>;
    /** Creates a new secret. The old one also signs for `overlap_seconds`. */
    rotate(request?: RotateWebhookSecret, options?: RequestOptions): ResponsePromise<CallbackSecret>;
  };
  /** The log of what was sent to endpoints and callback URLs. */
  deliveries: {
    /** Lists the deliveries, newest first by default. */
    list(
      query?: NonNullable<ListWebhookDeliveriesData['query']>,
      options?: RequestOptions,
    ): PagePromise<WebhookDelivery>;
    /** Returns a delivery with every try and what the receiver responded. */
    get(deliveryId: string, options?: RequestOptions): ResponsePromise<TriedWebhookDelivery>;
    /** Sends the event of a delivery again now, as a new delivery. */
    redeliver(deliveryId: string, options?: RequestOptions): ResponsePromise<WebhookDelivery>;
  };
}

/** Creates the `webhookEndpoints` part of a client. */
export function createWebhookEndpoints(http: Http): WebhookEndpoints {
  const path = '/v1/webhook-endpoints';
  const secretPath = `${path}/callback-secret`;
  const deliveriesPath = '/v1/webhook-deliveries';
  return {
    create: (body, options) => http.json<IssuedWebhookEndpoint>({ ...options, method: 'POST', path, body }),
    list: (query = {}, options = {}) => listPages<WebhookEndpoint>(http, path, query, options),
    get: (endpointId, options) => http.json<WebhookEndpoint>({ ...options, method: 'GET', path: [path, endpointId] }),
    update: (endpointId, body, options) =>
      http.json<WebhookEndpoint>({ ...options, method: 'PATCH', path: [path, endpointId], body }),
    delete: (endpointId, options) =>
      http.json<DeletedWebhookEndpoint>({ ...options, method: 'DELETE', path: [path, endpointId] }),
    test: (endpointId, options) =>
      http.json<WebhookDelivery>({ ...options, method: 'POST', path: [path, endpointId, 'test'] }),
    rotateSecret: (endpointId, body = {}, options) =>
      http.json<IssuedWebhookEndpoint>({
        ...options,
        method: 'POST',
        path: [path, endpointId, 'rotate-secret'],
        body,
      }),
    callbackSecret: {
      get: (options) => http.json<CallbackSecret>({ ...options, method: 'GET', path: secretPath }),
      rotate: (body = {}, options) =>
        http.json<CallbackSecret>({ ...options, method: 'POST', path: `${secretPath}/rotate`, body }),
    },
    deliveries: {
      list: (query = {}, options = {}) => listPages<WebhookDelivery>(http, deliveriesPath, query, options),
      get: (deliveryId, options) =>
        http.json<TriedWebhookDelivery>({ ...options, method: 'GET', path: [deliveriesPath, deliveryId] }),
      redeliver: (deliveryId, options) =>
        http.json<WebhookDelivery>({ ...options, method: 'POST', path: [deliveriesPath, deliveryId, 'redeliver'] }),
    },
  };
}
