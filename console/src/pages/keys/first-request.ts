import type { Scope } from './scopes.ts';

/** Returns a first request with a new key, as far as its scopes allow one. */
export function firstRequest(apiUrl: string, key: string, scopes: readonly Scope[]): string {
  const curl = (path: string): string => `curl '${apiUrl}${path}' \\\n  -H 'Authorization: Bearer ${key}'`;
  if (scopes.includes('videos:write')) {
    const body = '{"prompt": "a paper boat on a pond at dusk"}';
    return `${curl('/v1/videos/text-to-video')} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  }
  const paths: readonly [Scope, string][] = [
    ['videos:read', '/v1/videos?limit=1'],
    ['usage:read', '/v1/usage'],
    ['webhooks:manage', '/v1/webhook-endpoints'],
    ['keys:manage', '/v1/api-keys'],
    ['audit:read', '/v1/audit-events'],
  ];
  const [, path] = paths.find(([scope]) => scopes.includes(scope)) ?? [null, null];
  if (path) return curl(path);
  return `${curl('/v1/files')} \\\n  -F file=@photo.jpg`;
}
