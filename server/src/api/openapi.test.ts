import { describe, expect, it } from 'vitest';
import { parts } from './app.fixture.ts';
import { createApp } from './app.ts';
import { type RouteAccess, routeAccess } from './hooks/route-access.ts';

interface Document {
  paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
}

/** Routes that exist but are not described: the document itself and the pages that show it. */
const undescribed = ['GET /openapi.json', 'GET /docs', 'GET /docs/', 'GET /docs/js/scalar.js'];

const asPath = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}');

async function describedOperations(): Promise<Map<string, Record<string, string[]>[]>> {
  const app = createApp(parts);
  const { paths }: Document = (await app.inject('/openapi.json')).json();
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security] as const),
    ),
  );
}

function securityFor(access: RouteAccess): Record<string, string[]>[] {
  if (typeof access === 'string') return [];
  return [{ apiKey: [access.scope] }, ...(access.orSignature ? [{ signedUrl: [] }] : [])];
}

const isDescribed = (operation: string): boolean =>
  !undescribed.includes(operation) && !operation.startsWith('OPTIONS ') && !operation.startsWith('HEAD ');

describe('the OpenAPI document', () => {
  it('relies on an access table whose every route exists; a route that the table lacks cannot be registered', async () => {
    const app = createApp(parts);
    await app.ready();
    const missing = Object.keys(routeAccess).filter((route) => {
      const [method = '', url = ''] = route.split(' ');
      return !app.hasRoute({ method, url });
    });
    expect(missing).toEqual([]);
    const incomplete = createApp(parts);
    expect(() => incomplete.get('/v1/forgotten', async () => 'open to all')).toThrow('route-access.ts');
  });

  it('describes exactly the routes of the access table, each with the access that is enforced', async () => {
    const granted = Object.entries(routeAccess)
      .filter(([route]) => isDescribed(route))
      .map(([route, access]) => [asPath(route), securityFor(access)]);
    expect(Object.fromEntries(await describedOperations())).toEqual(Object.fromEntries(granted));
  });
});
