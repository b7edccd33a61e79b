import { afterAll, expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import { newId, newProjectId } from '../../domain/id.ts';
import { parts } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const app = createApp({ ...parts, shards: new Set(['7k', '7m']) });
afterAll(() => app.close());

const now = parts.clock.now();
const fileUrl = (shard: string) => `/v1/videos/${newId('task', now, newProjectId(now, shard))}/content`;
const get = async (url: string, credential?: string) => {
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  const response = await app.inject({ url, headers });
  return { status: response.statusCode, code: response.json().error.code, retryAfter: response.headers['retry-after'] };
};
const moving = { status: 503, code: 'moving', retryAfter: '5' };
const token = (shard: string) => `kin_token_${shard}abc.def`;

it.each([
  ['a key of another installation', '/v1/models', generateApiKey(true, '00'), moving],
  ['a token of another installation', '/v1/models', token('00'), moving],
  ['a signed link of another installation', `${fileUrl('00')}?expires=1&signature=a`, undefined, moving],
  ['an unknown key of its own', '/v1/models', generateApiKey(true, '7k'), { status: 401, code: 'invalid_api_key' }],
  ['an unknown token of its own', '/v1/models', token('7m'), { status: 401, code: 'invalid_api_key' }],
  ['the id of another installation with its own key', fileUrl('00'), token('7k'), { status: 401 }],
  ['a key without a shard', '/v1/models', 'sk-other', { status: 401, code: 'invalid_api_key' }],
])('an installation of two shards answers %s', async (_name, url, credential, expected) => {
  expect(await get(url, credential)).toMatchObject(expected);
});

it('a bad signature of its own shard is refused as ever', async () => {
  expect(await get(`${fileUrl('7k')}?expires=1&signature=a`)).toMatchObject({ status: 403 });
});
