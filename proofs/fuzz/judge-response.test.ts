import { describe, expect, it } from 'vitest';
import { createJudge, type SeenResponse } from './judge-response.ts';

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
        },
      },
    },
  },
  components: { schemas: { Error: error } },
});
const answer = (more: Partial<SeenResponse>): SeenResponse => ({
  method: 'GET',
  path: '/things/1',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"id":"1"}',
  ...more,
});

describe('the judge of fuzzed answers', () => {
  it.each([
    answer({}),
    answer({ status: 404, body: '{"error":{}}' }),
    answer({ status: 304, body: '', contentType: null }),
    answer({ path: '/things/special', body: '"yes"' }),
    answer({ path: '/nowhere', status: 404, body: '{"error":{}}' }),
    answer({ method: 'PUT', status: 405, body: '{"error":{}}' }),
    answer({ method: 'DELETE', path: '/things/special', status: 405, body: '{"error":{}}' }),
  ])('accepts $method $path $status', (good) => {
    expect(judge.complaint(good)).toBeNull();
  });

  it.each([
    ['a server error', answer({ status: 500, body: '{"error":{}}' })],
    ['an overload', answer({ status: 503, body: '{"error":{}}' })],
    ['a status that is not described', answer({ status: 409, body: '{"error":{}}' })],
    ['a field that is missing', answer({ body: '{}' })],
    ['a field of another type', answer({ body: '{"id":1}' })],
    ['a body that is no JSON', answer({ body: '<html>' })],
    ['another content type', answer({ contentType: 'text/html', body: '<html>' })],
    ['a body where there is none', answer({ status: 304, body: 'x' })],
    ['the schema of another route', answer({ path: '/things/special' })],
    ['an undescribed route that succeeds', answer({ path: '/nowhere' })],
    ['an error of another shape at no route', answer({ path: '/nowhere', status: 404, body: '{"message":"no"}' })],
  ])('objects to %s', (_, bad) => {
    expect(judge.complaint(bad)).not.toBeNull();
  });
});
