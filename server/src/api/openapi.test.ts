import { describe, expect, it } from 'vitest';
import { parts } from './app.fixture.ts';
import { createApp } from './app.ts';
import { type RouteAccess, routeAccess } from './hooks/route-access.ts';

interface Document {
  paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
}

/** The router knows them, callers need not: the description itself, its reader, and what browsers ask beforehand. */
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
  if (access === 'open') return [];
  return [{ apiKey: [access.scope] }, ...(access.orSignature ? [{ signedUrl: [] }] : [])];
}

const isCallers = (operation: string): boolean =>
  !undescribed.includes(operation) && !operation.startsWith('OPTIONS ') && !operation.startsWith('HEAD ');

describe('the description of the API', () => {
  it('stands on a table of access whose every route the router has; one that the table lacks does not start', async () => {
    const app = createApp(parts);
    await app.ready();
    const missing = Object.keys(routeAccess).filter((route) => {
      const [method = '', url = ''] = route.split(' ');
      return !app.hasRoute({ method, url });
    });
    expect(missing).toEqual([]);
    const bold = createApp(parts);
    expect(() => bold.get('/v1/forgotten', async () => 'open to all')).toThrow('route-access.ts');
  });

  it('names exactly the routes that the table of access has, each with the access that is enforced', async () => {
    const granted = Object.entries(routeAccess)
      .filter(([route]) => isCallers(route))
      .map(([route, access]) => [asPath(route), securityFor(access)]);
    expect(Object.fromEntries(await describedOperations())).toEqual(Object.fromEntries(granted));
  });
});
