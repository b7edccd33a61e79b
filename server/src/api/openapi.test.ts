import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { app, auth, parts, task } from './app.fixture.ts';
import { createApp } from './app.ts';
import { type RouteAccess, routeAccess } from './hooks/route-access.ts';
import { introduction } from './introduction.ts';
import { describeRoutes } from './openapi.ts';

interface Document {
  paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
}

/** Routes that exist but are not described: the document itself and the pages that show it. */
const undescribed = [
  'GET /',
  'GET /favicon.ico',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/',
  'GET /docs/js/scalar.js',
  'GET /docs/reference.json',
];

/** Describes the routes as the generator of openapi.json does. */
async function describeApp() {
  const described = createApp({ ...parts, beforeRoutes: (app) => describeRoutes(app, parts.publicUrl) });
  await described.ready();
  return JSON.parse(JSON.stringify(described.swagger()));
}

const asPath = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}');

async function describedOperations(): Promise<Map<string, Record<string, string[]>[]>> {
  const { paths } = (await describeApp()) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security] as const),
    ),
  );
}

function securityFor(access: RouteAccess): Record<string, string[]>[] {
  if (typeof access === 'string') return [];
  return [{ apiKey: access.scope === null ? [] : [access.scope] }, ...(access.orSignature ? [{ signedUrl: [] }] : [])];
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

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Header {
  $ref?: string;
  description?: string;
}

interface Operation {
  summary: string;
  description?: string;
  tags: string[];
  parameters?: (Header & { name: string; in: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    {
      $ref?: string;
      description?: string;
      headers?: Record<string, Header>;
      content?: Record<string, { schema: Schema }>;
    }
  >;
}

/** The whole document, with every reference to a component replaced by what it refers to. */
async function describedApi() {
  const document = await describeApp();
  const resolve = <Value extends { $ref?: string }>(value: Value): Value => {
    if (value.$ref === undefined) return value;
    const [, , kind = '', name = ''] = value.$ref.split('/');
    return { ...document.components[kind][name], ...value };
  };
  const operations = Object.entries({ ...document.paths, ...document.webhooks } as Record<
    string,
    Record<string, Operation>
  >).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      ...operation,
      parameters: (operation.parameters ?? []).map(resolve),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, given]) => {
          const response = resolve(given);
          const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [name, resolve(header)]);
          return [status, { ...response, headers: Object.fromEntries(headers) as Record<string, Header> }];
        }),
      ),
    })),
  );
  const schemas: Record<string, Schema> = document.components.schemas;
  return { document, operations, schemas };
}

/** Returns the path of every field of a schema that has no description. */
function undescribedFields(schema: Schema, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...undescribedFields(field, `${path}.${name}`),
  ]);
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [...fields, ...inner.flatMap((one) => undescribedFields(one, path))];
}

/** The words with which a summary may begin: what the operation does. */
const verbs =
  /^(Cancel|Change|Check|Create|Delete|Download|Estimate|Get|List|Receive|Redeliver|Revoke|Rotate|Send|Stream|Upload) /;

/** Headers that browsers, proxies and HTTP itself understand, and that no caller needs to read. */
const unspokenHeaders = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'x-frame-options',
];

describe('the description of the API', () => {
  it('explains every schema and every field that a caller may send or receive', async () => {
    const { operations, schemas } = await describedApi();
    const named = Object.entries(schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...undescribedFields(schema, name),
    ]);
    const inline = operations.flatMap(({ name, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((part) => Object.values(part?.content ?? {}))
        .flatMap(({ schema }) => undescribedFields(schema, name)),
    );
    expect(Object.keys(schemas).length).toBeGreaterThan(30);
    expect([...named, ...inline]).toEqual([]);
  });

  it('explains every operation, parameter, response and response header', async () => {
    const { operations } = await describedApi();
    const missing = operations.flatMap(({ name, description, parameters, responses }) => [
      ...(description ? [] : [name]),
      ...parameters.filter((parameter) => !parameter.description).map((parameter) => `${name} ${parameter.name}`),
      ...Object.entries(responses).flatMap(([status, response]) => [
        ...(response.description ? [] : [`${name} ${status}`]),
        ...Object.entries(response.headers)
          .filter(([, header]) => !header.description)
          .map(([header]) => `${name} ${status} ${header}`),
      ]),
    ]);
    expect(operations.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });

  it('has no field that can only be null, and no default in a body: generators fail at the one, and demand the other', async () => {
    const { document } = await describedApi();
    const fields = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries((schema as { properties?: Record<string, object> }).properties ?? {}).map(
        ([field, described]) => [`${name}.${field}`, described] as const,
      ),
    );
    const bad = fields.filter(([, field]) => ('type' in field && field.type === 'null') || 'default' in field);
    expect(fields.length).toBeGreaterThan(200);
    expect(bad.map(([name]) => name)).toEqual([]);
  });

  it('names every object and every choice that it describes: generators invent names for the others', async () => {
    const { document } = await describedApi();
    const schemas = Object.entries(document.components.schemas as Record<string, { allOf?: object }>);
    // A form of a task narrows the fields of all.
    const inline = schemas.filter(
      ([, schema]) => !schema.allOf && /"properties":|"enum":\["[^"]*","/.test(JSON.stringify(Object.values(schema))),
    );
    expect(inline.map(([name]) => name)).toEqual([]);
  });

  it('describes a task by its status: a completed one has a video, and every status has a form', async () => {
    const { document } = await describedApi();
    const { Task, AnyTask, TaskStatus, CompletedTask } = document.components.schemas;
    expect(Object.keys(Task.discriminator.mapping)).toEqual(TaskStatus.enum);
    expect(new Set(Object.values(Task.discriminator.mapping))).toEqual(
      new Set(Task.oneOf.map(({ $ref }: { $ref: string }) => $ref)),
    );
    expect(AnyTask.properties.video.anyOf).toContainEqual({ type: 'null' });
    expect(CompletedTask.allOf[1].properties.video.$ref).toBe('#/components/schemas/Video');
  });

  it('says in 1 kB how to begin: generators copy that into every file', async () => {
    const { document } = await describedApi();
    expect(Buffer.byteLength(document.info.description)).toBeLessThan(1_024);
    expect(document.info.description).toContain(`curl ${parts.publicUrl}/v1/videos/text-to-video`);
    expect(document.info.description).toContain(`${parts.publicUrl}/docs`);
  });

  it('opens, as the reference, with what every caller needs to know, and lists every error code', async () => {
    const { document } = await describedApi();
    const text: string = introduction(parts.publicUrl);
    const headings = [...text.matchAll(/^# (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      'Authentication',
      'Errors',
      'Idempotency',
      'Limits',
      'Paging',
      'Events',
      'Models',
      'Webhooks',
      'Test mode',
      'Versions',
      'Error codes',
    ]);
    expect(text).not.toContain('{{');
    const shown = Object.keys(document.components.examples);
    expect(shown.filter((code) => !text.includes(`\n#### ${code}\n`))).toEqual([]);
  });

  it('summarises every operation in the imperative', async () => {
    const { operations } = await describedApi();
    expect(operations.map(({ summary }) => summary).filter((summary) => !verbs.test(summary))).toEqual([]);
  });

  it('declares every header that an operation reads', async () => {
    const { operations } = await describedApi();
    const headersOf = (wanted: string) =>
      operations
        .filter(({ name }) => name === wanted)
        .flatMap(({ parameters }) => parameters.filter((one) => one.in === 'header').map(({ name }) => name));
    expect(headersOf('POST /v1/videos/text-to-video')).toEqual(['Idempotency-Key', 'Prefer', 'X-Request-Id']);
    expect(headersOf('POST /v1/videos/image-to-video')).toEqual(['Idempotency-Key', 'Prefer', 'X-Request-Id']);
    expect(headersOf('POST /v1/videos')).toEqual(['Idempotency-Key', 'Prefer', 'X-Request-Id']);
    expect(headersOf('POST /v1/videos/estimate')).toEqual(['Prefer', 'X-Request-Id']);
    expect(headersOf('GET /v1/videos/{task_id}')).toEqual(['Prefer', 'If-None-Match', 'X-Request-Id']);
    expect(headersOf('GET /v1/videos/{task_id}/content')).toEqual([
      'Range',
      'If-Range',
      'If-None-Match',
      'X-Request-Id',
    ]);
    expect(headersOf('GET /v1/videos/{task_id}/events')).toEqual(['Last-Event-ID', 'X-Request-Id']);
    expect(headersOf('GET /v1/events')).toEqual(['Last-Event-ID', 'X-Request-Id']);
    expect(headersOf('POST event')).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  });

  it('declares every header of the responses that the service sends', async () => {
    const { operations } = await describedApi();
    const key = (name: string) => ({ authorization: `Bearer ${name}` });
    const json = (payload: object, headers: object = {}) => ({
      method: 'POST' as const,
      headers: { ...auth, 'content-type': 'application/json', ...headers },
      payload,
    });
    const requests: (InjectOptions & { described: string })[] = [
      {
        described: 'POST /v1/videos/text-to-video',
        ...json({ prompt: 'a cat' }, { prefer: 'wait=1, handling=strict' }),
      },
      { described: 'POST /v1/videos/text-to-video', ...json({ prompt: 'a cat' }, { 'idempotency-key': 'replayed' }) },
      { described: 'POST /v1/videos/text-to-video', ...json({}) },
      { described: 'POST /v1/videos/text-to-video', method: 'POST', headers: {} },
      { described: 'POST /v1/videos/text-to-video', method: 'POST', headers: key('reader') },
      { described: 'POST /v1/videos/text-to-video', method: 'POST', headers: key('broken') },
      { described: 'POST /v1/videos/text-to-video', method: 'POST', headers: key('database-away') },
      { described: 'POST /v1/videos/estimate', ...json({ prompt: 'a cat' }, { prefer: 'handling=strict' }) },
      { described: 'GET /v1/videos', headers: auth },
      { described: 'GET /v1/videos/{task_id}', headers: { ...auth, prefer: 'wait=1' } },
      { described: 'GET /v1/videos/{task_id}', headers: { ...auth, 'if-none-match': '*' } },
      { described: 'GET /v1/videos/{task_id}/timeline', headers: auth },
      { described: 'GET /v1/videos/{task_id}/content', headers: auth },
      { described: 'GET /v1/videos/{task_id}/content', headers: { ...auth, range: 'bytes=0-9' } },
      { described: 'GET /v1/videos/{task_id}/content', headers: { ...auth, range: 'bytes=5000-' } },
      { described: 'GET /v1/videos/{task_id}/content', headers: { ...auth, 'if-none-match': '*' } },
      { described: 'POST /v1/videos/{task_id}/cancel', method: 'POST', headers: auth },
      { described: 'DELETE /v1/videos/{task_id}', method: 'DELETE', headers: auth },
      { described: 'GET /v1/videos/{task_id}/events', method: 'HEAD', headers: auth },
      { described: 'GET /v1/events', method: 'HEAD', headers: auth },
      { described: 'GET /v1/models', headers: auth },
      { described: 'GET /v1/limits', headers: auth },
      { described: 'GET /v1/api-keys', headers: key('manager') },
      { described: 'GET /v1/audit-events', headers: key('auditor') },
      { described: 'GET /v1/webhook-endpoints', headers: key('hooks') },
      { described: 'GET /healthz' },
      { described: 'GET /readyz' },
    ];
    const undeclared: string[] = [];
    const statuses = new Set<number>();
    for (const { described, ...request } of requests) {
      const url = described.split(' ')[1]?.replace('{task_id}', task.id) ?? '';
      const { statusCode, headers } = await app.inject({ ...request, url });
      const responses = operations.find(({ name }) => name === described)?.responses ?? {};
      const declared = Object.keys(responses[statusCode]?.headers ?? {});
      statuses.add(statusCode);
      undeclared.push(
        ...Object.keys(headers)
          .filter((header) => !declared.includes(header) && !unspokenHeaders.includes(header))
          .map((header) => `${described} ${statusCode} ${header}`),
      );
    }
    expect(statuses).toEqual(new Set([200, 206, 304, 400, 401, 403, 409, 416, 500, 503]));
    expect(undeclared).toEqual([]);
  });
});
