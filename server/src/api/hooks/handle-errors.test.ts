import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApiParts } from '../api-parts.ts';
import { auth, databaseAway, parts, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

function start(changes: Partial<ApiParts>) {
  const app = createApp({ ...parts, ...changes });
  onTestFinished(() => app.close());
  return app;
}

describe('an error that a route throws', () => {
  it('becomes 503 overloaded with Retry-After if it means that the database is unreachable', async () => {
    const app = start({ readTask: () => Promise.reject(databaseAway) });
    const response = await app.inject({ url: taskUrl, headers: auth });
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1']);
    expect(response.json().error).toMatchObject({ type: 'api_error', code: 'overloaded', retryable: true });
  });

  it('also becomes 503 for writes and for streams that have not begun', async () => {
    const app = start({
      createTask: () => Promise.reject(databaseAway),
      hub: { ...parts.hub, watchProject: () => Promise.reject(databaseAway) },
    });
    const created = await app.inject({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: auth,
      payload: { prompt: 'a cat' },
    });
    const followed = await app.inject({ url: '/v1/events', headers: auth });
    for (const response of [created, followed]) {
      expect([response.statusCode, response.json().error.code]).toEqual([503, 'overloaded']);
      expect(response.headers['retry-after']).toBe('1');
    }
  });

  it('becomes 500 in any other case', async () => {
    const app = start({ readTask: () => Promise.reject(new Error('column "nonsense" does not exist')) });
    const response = await app.inject({ url: taskUrl, headers: auth });
    expect([response.statusCode, response.json().error.code]).toEqual([500, 'internal_error']);
    expect(response.headers['retry-after']).toBeUndefined();
  });
});

describe('a broken connection', () => {
  it('a broken connection to the store is not mistaken for a database failure', async () => {
    const body = () =>
      new Readable({
        read() {
          this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
        },
      });
    const app = start({
      readFile: async (...given) => ({ ...(await parts.readFile(...given)), open: async () => body() }),
    });
    const response = await app.inject({ url: `${taskUrl}/content`, headers: auth });
    expect([response.statusCode, response.json().error.code]).toEqual([500, 'internal_error']);
  });

  it('a broken connection to the caller is not mistaken for a database failure', async () => {
    const statuses: number[] = [];
    const app = start({});
    app.addHook('onSend', async (_request, reply) => void statuses.push(reply.statusCode));
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    const head = ['POST /v1/videos/text-to-video HTTP/1.1', 'host: localhost', 'authorization: Bearer good'];
    socket.end([...head, 'content-type: application/json', 'content-length: 100', '', '{'].join('\r\n'));
    await expect.poll(() => statuses).toEqual([400]);
  });
});
