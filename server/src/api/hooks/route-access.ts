import type { Scope } from '../../domain/caller.ts';

/**
 * `open` and `unlimited` need no key. Only `open` counts against the limit of the client's address: a flood from a load
 * balancer's address must not fail its health checks. Otherwise the key must have the scope; with `orSignature`, a
 * signed URL works as well, and with `whileSuspended`, a key of a suspended project too. With `readsTask`, the statement
 * that looks the key up also reads the task of the path.
 */
export type RouteAccess =
  | 'open'
  | 'unlimited'
  | { scope: Scope; orSignature: boolean; whileSuspended: boolean; readsTask: boolean };

const key = (scope: Scope): RouteAccess => ({ scope, orSignature: false, whileSuspended: false, readsTask: false });
const keyOrSignature = (scope: Scope): RouteAccess => ({
  scope,
  orSignature: true,
  whileSuspended: false,
  readsTask: false,
});
/** A suspended project may still have its own content erased. */
const keyToErase = (scope: Scope): RouteAccess => ({
  scope,
  orSignature: false,
  whileSuspended: true,
  readsTask: false,
});
const keyToRead = (scope: Scope): RouteAccess => ({
  scope,
  orSignature: false,
  whileSuspended: false,
  readsTask: true,
});

/** Who may use which route. Registering a route that is not listed here throws, so none can be forgotten. */
export const routeAccess: Readonly<Record<string, RouteAccess>> = {
  'POST /v1/videos/text-to-video': key('videos:write'),
  'POST /v1/videos/image-to-video': key('videos:write'),
  'POST /v1/videos/estimate': key('videos:write'),
  'POST /v1/videos': key('videos:write'),
  'GET /v1/videos': key('videos:read'),
  'GET /v1/videos/:task_id': keyToRead('videos:read'),
  'DELETE /v1/videos/:task_id': keyToErase('videos:write'),
  'POST /v1/videos/:task_id/cancel': key('videos:write'),
  'GET /v1/videos/:task_id/timeline': key('videos:read'),
  'GET /v1/videos/:task_id/content': keyOrSignature('videos:read'),
  'OPTIONS /v1/videos/:task_id/content': 'unlimited',
  'GET /v1/videos/:task_id/events': keyOrSignature('videos:read'),
  'OPTIONS /v1/videos/:task_id/events': 'unlimited',
  'GET /v1/events': key('videos:read'),
  'POST /v1/files': key('files:write'),
  'GET /v1/files/:file_id': key('files:write'),
  'DELETE /v1/files/:file_id': keyToErase('files:write'),
  'GET /v1/models': key('videos:read'),
  'GET /v1/models/:model_id': key('videos:read'),
  'GET /v1/limits': key('videos:read'),
  'GET /v1/usage': key('usage:read'),
  'GET /v1/webhook-endpoints': key('webhooks:manage'),
  'POST /v1/webhook-endpoints': key('webhooks:manage'),
  'GET /v1/webhook-endpoints/:endpoint_id': key('webhooks:manage'),
  'PATCH /v1/webhook-endpoints/:endpoint_id': key('webhooks:manage'),
  'DELETE /v1/webhook-endpoints/:endpoint_id': key('webhooks:manage'),
  'POST /v1/webhook-endpoints/:endpoint_id/rotate-secret': key('webhooks:manage'),
  'POST /v1/webhook-endpoints/:endpoint_id/test': key('webhooks:manage'),
  'GET /v1/webhook-endpoints/callback-secret': key('webhooks:manage'),
  'POST /v1/webhook-endpoints/callback-secret/rotate': key('webhooks:manage'),
  'GET /v1/webhook-deliveries': key('webhooks:manage'),
  'GET /v1/webhook-deliveries/:delivery_id': key('webhooks:manage'),
  'POST /v1/webhook-deliveries/:delivery_id/redeliver': key('webhooks:manage'),
  'GET /v1/api-keys': key('keys:manage'),
  'POST /v1/api-keys': key('keys:manage'),
  'POST /v1/api-keys/:key_id/rotate': key('keys:manage'),
  'DELETE /v1/api-keys/:key_id': key('keys:manage'),
  'GET /v1/audit-events': key('audit:read'),
  'GET /healthz': 'unlimited',
  'GET /readyz': 'unlimited',
  'GET /': 'open',
  'GET /favicon.ico': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/': 'open',
  'GET /docs/js/scalar.js': 'open',
};

/** Returns the access of a route, or null if it is not listed. HEAD needs the same access as GET. */
export function accessOf(method: string, url: string): RouteAccess | null {
  return routeAccess[`${method === 'HEAD' ? 'GET' : method} ${url}`] ?? null;
}
