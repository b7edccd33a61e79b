import { describe, expect, it } from 'vitest';
import { createJudge, isOverload, type ObservedResponse } from './judge-response.ts';

const error = { type: 'object', required: ['error'], properties: { error: { type: 'object' } } };
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const judge = createJudge({
  paths: {
    '/things/special': { get: { security: [], responses: { 200: content({ type: 'string' }) } } },
    '/things/{id}': {
      delete: { security: [], responses: { 200: content({ type: 'object' }) } },
      get: {
        security: [],
        responses: {
          200: content({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }),
          304: {},
          404: content({ $ref: '#/components/schemas/Error' }),
          503: content({ $ref: '#/components/schemas/Error' }),
          401: { $ref: '#/components/responses/Unauthorised' },
        },
      },
    },
  },
  components: {
    schemas: { Error: error },
    responses: { Unauthorised: content({ $ref: '#/components/schemas/Error' }) },
  },
});
const response = (more: Partial<ObservedResponse>): ObservedResponse => ({
  method: 'GET',
  path: '/things/1',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"id":"1"}',
  ...more,
});

describe('the judge of fuzzed responses', () => {
  it.each([
    response({}),
    response({ status: 404, body: '{"error":{}}' }),
    response({ status: 401, body: '{"error":{}}' }),
    response({ status: 304, body: '', contentType: null }),
    response({ status: 503, body: '{"error":{"code":"overloaded"}}' }),
    response({ path: '/things/special', body: '"yes"' }),
    response({ path: '/nowhere', status: 404, body: '{"error":{}}' }),
    response({ method: 'PUT', status: 405, body: '{"error":{}}' }),
    response({ method: 'DELETE', path: '/things/special', status: 405, body: '{"error":{}}' }),
  ])('accepts $method $path $status', (good) => {
    expect(judge.complaint(good)).toBeNull();
  });

  it.each([
    ['a server error', response({ status: 500, body: '{"error":{}}' })],
    ['a 503 for another reason', response({ status: 503, body: '{"error":{"code":"no_engine_available"}}' })],
    ['an overload that breaks the description', response({ status: 503, body: '{"oops":{"code":"overloaded"}}' })],
    [
      'an overload that is not described',
      response({ path: '/things/special', status: 503, body: '{"error":{"code":"overloaded"}}' }),
    ],
    ['a body that breaks a shared description', response({ status: 401, body: '{"oops":1}' })],
    ['a status that is not described', response({ status: 409, body: '{"error":{}}' })],
    ['a field that is missing', response({ body: '{}' })],
    ['a field of another type', response({ body: '{"id":1}' })],
    ['a body that is not JSON', response({ body: '<html>' })],
    ['another content type', response({ contentType: 'text/html', body: '<html>' })],
    ['a body with status 304', response({ status: 304, body: 'x' })],
    ['the schema of another route', response({ path: '/things/special' })],
    ['an undescribed route that succeeds', response({ path: '/nowhere' })],
    [
      'an error of another shape outside all routes',
      response({ path: '/nowhere', status: 404, body: '{"message":"no"}' }),
    ],
  ])('objects to %s', (_, bad) => {
    expect(judge.complaint(bad)).not.toBeNull();
  });

  it('tells a busy API from a broken one', () => {
    expect(isOverload(503, '{"error":{"code":"overloaded"}}')).toBe(true);
    expect(isOverload(503, '{"status":"not_ready"}')).toBe(true);
    expect(isOverload(503, '{"error":{"code":"no_engine_available"}}')).toBe(false);
    expect(isOverload(500, '{"error":{"code":"overloaded"}}')).toBe(false);
  });
});
