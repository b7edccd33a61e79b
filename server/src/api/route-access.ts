import type { Scope } from '../domain/caller.ts';

/** `open`: no key needed. `signature`: the URL itself is the permission. Otherwise the scope that the key must have. */
export type RouteAccess = Scope | 'open' | 'signature';

/** Who may use which route. A route that is not in here does not start, so none can be forgotten. */
const routeAccess: Readonly<Record<string, RouteAccess>> = {
  'POST /v1/videos/text-to-video': 'videos:write',
  'POST /v1/videos/image-to-video': 'videos:write',
  'GET /v1/videos/:task_id': 'videos:read',
  'GET /v1/videos/:task_id/content': 'signature',
  'OPTIONS /v1/videos/:task_id/content': 'signature',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/': 'open',
  'GET /docs/js/scalar.js': 'open',
};

/** The access of a route; what may be read may be asked for with HEAD. */
export function accessOf(method: string, url: string): RouteAccess | null {
  return routeAccess[`${method === 'HEAD' ? 'GET' : method} ${url}`] ?? null;
}
