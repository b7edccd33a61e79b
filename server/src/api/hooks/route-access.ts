import type { Scope } from '../../domain/caller.ts';

/** `open` and `unlimited` need no key; only `open` counts for the client's address, so floods fail no health check. */
export type RouteAccess = 'open' | 'unlimited' | KeyAccess;

interface KeyAccess {
  /** The scope that the key must have; null if any key will do. */
  scope: Scope | null;
  /** Whether a signed URL works as well. */
  orSignature: boolean;
  /** Whether a key of a suspended project works too: such a project may still have its own content erased. */
  whileSuspended: boolean;
  /** Whether the statement that looks the key up also reads the task of the path. */
  readsTask: boolean;
  /** Whether people must have signed in lately, because it gives others lasting access or cannot be undone. */
  needsFreshSignIn: boolean;
}

const key = (scope: Scope | null, flags: Partial<KeyAccess> = {}): KeyAccess => ({
  scope,
  orSignature: false,
  whileSuspended: false,
  readsTask: false,
  needsFreshSignIn: false,
  ...flags,
});
const keyOrSignature = (scope: Scope): KeyAccess => key(scope, { orSignature: true });
const keyToErase = (scope: Scope): KeyAccess => key(scope, { whileSuspended: true, needsFreshSignIn: true });
const freshKey = (scope: Scope): KeyAccess => key(scope, { needsFreshSignIn: true });

/** Who may use which route. Registering a route that is not listed here throws, so none can be forgotten. */
export const routeAccess: Readonly<Record<string, RouteAccess>> = {
  'POST /v1/videos/text-to-video': key('videos:write'),
  'POST /v1/videos/image-to-video': key('videos:write'),
  'POST /v1/videos/estimate': key('videos:write'),
  'POST /v1/videos': key('videos:write'),
  'GET /v1/videos': key('videos:read'),
  'GET /v1/videos/:task_id': key('videos:read', { readsTask: true }),
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
  'DELETE /v1/webhook-endpoints/:endpoint_id': freshKey('webhooks:manage'),
  'POST /v1/webhook-endpoints/:endpoint_id/rotate-secret': freshKey('webhooks:manage'),
  'POST /v1/webhook-endpoints/:endpoint_id/test': key('webhooks:manage'),
  'GET /v1/webhook-endpoints/callback-secret': freshKey('webhooks:manage'),
  'POST /v1/webhook-endpoints/callback-secret/rotate': freshKey('webhooks:manage'),
  'GET /v1/webhook-deliveries': key('webhooks:manage'),
  'GET /v1/webhook-deliveries/:delivery_id': key('webhooks:manage'),
  'POST /v1/webhook-deliveries/:delivery_id/redeliver': key('webhooks:manage'),
  'GET /v1/api-keys': key('keys:manage'),
  'POST /v1/api-keys': freshKey('keys:manage'),
  'POST /v1/api-keys/:key_id/rotate': freshKey('keys:manage'),
  'DELETE /v1/api-keys/:key_id': freshKey('keys:manage'),
  'POST /v1/tokens': key(null),
  'GET /v1/audit-events': key('audit:read'),
  'GET /healthz': 'unlimited',
  'GET /readyz': 'unlimited',
  'GET /': 'open',
  'GET /favicon.ico': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/': 'open',
  'GET /docs/js/scalar.js': 'open',
  'GET /docs/reference.json': 'open',
};

/** Returns the access of a route, or null if it is not listed. HEAD needs the same access as GET. */
export function accessOf(method: string, url: string): RouteAccess | null {
  return routeAccess[`${method === 'HEAD' ? 'GET' : method} ${url}`] ?? null;
}
