import { createServer, type RequestListener } from 'node:http';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { OutboundRefused } from '../errors.ts';
import { createGuardedFetcher, type GuardedFetchOptions } from './guarded-fetch.ts';
import { listen } from './loopback-server.fixture.ts';
import { loopbackPolicy, strictPolicy } from './outbound-policy.fixture.ts';

const usual: GuardedFetchOptions = { maxBytes: 100_000, timeoutMilliseconds: hangLimitMilliseconds, maxRedirects: 3 };
const sayHello: RequestListener = (_request, response) => response.end('hello');

/** A server that may be reached at 127.0.0.1 and a canary at the same port of 127.0.0.2 that must not be. */
async function serverAndCanary(listener: RequestListener) {
  const server = await listen(createServer(listener));
  const canary = await listen(createServer(sayHello), { host: '127.0.0.2', port: server.port });
  return {
    port: server.port,
    server,
    canary,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await canary[Symbol.asyncDispose]();
    },
  };
}

function fetcherFor(port: number, answers: readonly string[][] = [['127.0.0.1']]) {
  const lookups: string[] = [];
  const fetcher = createGuardedFetcher(loopbackPolicy(port), {
    async resolve(host) {
      lookups.push(host);
      return answers[Math.min(lookups.length, answers.length) - 1] ?? [];
    },
  });
  return { fetcher, lookups };
}

async function reasonOf(fetching: Promise<unknown>): Promise<string> {
  const error: unknown = await fetching.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OutboundRefused)) throw new Error('was not refused', { cause: error });
  return error.reason;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a slow body', () => {
  const pace = { leastBytes: 1_000, everyMilliseconds: 300 };
  const url = (port: number) => `http://slow.example:${port}/`;

  test('a body that stalls or drips is refused long before the time limit', async () => {
    await using world = await serverAndCanary((request, response) => {
      response.write(Buffer.alloc(50_000));
      if (request.url === '/stall') return;
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { fetcher } = fetcherFor(world.port);
    for (const path of ['stall', 'drip']) {
      const fetching = fetcher.fetch(url(world.port) + path, { ...usual, timeoutMilliseconds: 3_600_000, pace });
      expect(await reasonOf(fetching)).toBe('too_slow');
    }
    await world.server.idle();
  });
});

describe('fetches from one address', () => {
  test('fetches from one address are limited at once under whatever name, and a fetch that waits too long is refused', async () => {
    const responses: (() => void)[] = [];
    await using world = await serverAndCanary((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: `http://d.example:${world.port}/` }).end();
      else responses.push(() => response.end('hello'));
    });
    const limited = (waitMilliseconds: number) =>
      createGuardedFetcher(loopbackPolicy(world.port), {
        resolve: async () => ['127.0.0.1'],
        perAddress: { perHolder: 2, waitMilliseconds },
      });
    const patient = limited(hangLimitMilliseconds);
    const paths = ['a.example', 'b.example', 'c.example'].map((host) => `http://${host}:${world.port}/`);
    const fetching = [...paths, `http://r.example:${world.port}/redirect`].map((each) => patient.fetch(each, usual));
    await expect.poll(() => world.server.connections()).toBe(4);
    // Each response lets one more request through: there are never more than two.
    for (let sent = 0; sent < 4; sent += 1) {
      await expect.poll(() => responses.length).toBeGreaterThan(0);
      expect(responses.length).toBeLessThanOrEqual(2);
      responses.shift()?.();
    }
    expect((await Promise.all(fetching)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

    const impatient = limited(200);
    const held = [impatient.fetch(paths[0] ?? '', usual), impatient.fetch(paths[1] ?? '', usual)];
    await expect.poll(() => responses).toHaveLength(2);
    expect(await reasonOf(impatient.fetch(paths[2] ?? '', usual))).toBe('address_busy');
    for (const respond of responses) respond();
    await Promise.all(held);
  });
});

describe('an allowed exchange', () => {
  test('returns status, headers and body, and sends the name as Host and nothing that identifies us', async () => {
    const seen: Record<string, unknown>[] = [];
    await using world = await serverAndCanary((request, response) => {
      seen.push({ method: request.method, url: request.url, ...request.headers });
      response.writeHead(418, { 'x-answer': ['one', 'two'], 'set-cookie': 'a=b' }).end('hello');
    });
    const { fetcher, lookups } = fetcherFor(world.port);
    const url = `http://pictures.example:${world.port}/a%20b?c=d#e`;
    const fetched = await fetcher.fetch(url, { ...usual, headers: { Accept: 'image/*' } });
    await fetcher.fetch(url, usual);

    expect(fetched.status).toBe(418);
    expect(fetched.headers['x-answer']).toBe('one, two');
    expect(new TextDecoder().decode(fetched.body)).toBe('hello');
    expect(lookups).toEqual(['pictures.example', 'pictures.example']);
    const common = { method: 'GET', url: '/a%20b?c=d', host: `pictures.example:${world.port}`, connection: 'close' };
    const headers = { 'user-agent': 'kinora', 'accept-encoding': 'identity' };
    expect(seen).toEqual([
      { ...common, ...headers, accept: 'image/*' },
      { ...common, ...headers },
    ]);
  });

  test('a POST carries its body, and its redirect is returned, not followed', async () => {
    let received = '';
    await using world = await serverAndCanary((request, response) => {
      request.on('data', (chunk) => {
        received += String(chunk);
      });
      request.on('end', () => response.writeHead(307, { location: '/elsewhere' }).end());
    });
    const { fetcher } = fetcherFor(world.port);
    const body = new TextEncoder().encode('{"a":1}');
    const fetched = await fetcher.fetch(`http://hook.example:${world.port}/`, { ...usual, method: 'POST', body });
    expect([fetched.status, received, world.server.connections()]).toEqual([307, '{"a":1}', 1]);
  });

  test('each request has a connection of its own, and none stays open', async () => {
    await using world = await serverAndCanary(sayHello);
    const { fetcher } = fetcherFor(world.port);
    for (let count = 0; count < 3; count += 1) await fetcher.fetch(`http://a.example:${world.port}/`, usual);
    expect(world.server.connections()).toBe(3);
    await world.server.idle();
  });

  test('an unresponsive address gives way to the next checked one', async () => {
    await using world = await serverAndCanary(sayHello);
    const fetcher = createGuardedFetcher(
      { ...loopbackPolicy(world.port), allowedNetworks: ['127.0.0.0/8'] },
      { resolve: async () => ['127.0.0.3', '127.0.0.1'] },
    );
    expect((await fetcher.fetch(`http://a.example:${world.port}/`, usual)).status).toBe(200);
    expect(world.server.connections()).toBe(1);
  });

  test('a proxy named in the environment is not used', async () => {
    await using world = await serverAndCanary(sayHello);
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']) {
      vi.stubEnv(name, `http://127.0.0.2:${world.port}`);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const { fetcher } = fetcherFor(world.port);
    expect((await fetcher.fetch(`http://a.example:${world.port}/`, usual)).status).toBe(200);
    expect(world.canary.connections()).toBe(0);
  });
});

describe('addresses', () => {
  test('a name is resolved once per request, so that rebinding it has no effect', async () => {
    await using world = await serverAndCanary(sayHello);
    const { fetcher, lookups } = fetcherFor(world.port, [['127.0.0.1'], ['127.0.0.2']]);
    expect((await fetcher.fetch(`http://rebind.example:${world.port}/`, usual)).status).toBe(200);
    expect(lookups).toEqual(['rebind.example']);
    // The next request resolves the name again and gets the new answer.
    expect(await reasonOf(fetcher.fetch(`http://rebind.example:${world.port}/`, usual))).toBe('forbidden_address');
    expect(world.canary.connections()).toBe(0);
  });

  test.each([[['127.0.0.1', '127.0.0.2']], [['127.0.0.2', '127.0.0.1']], [['127.0.0.1', '::1']]])(
    'one forbidden address among %j prevents a connection to any of them',
    async (answers) => {
      await using world = await serverAndCanary(sayHello);
      const { fetcher } = fetcherFor(world.port, [answers]);
      expect(await reasonOf(fetcher.fetch(`http://mixed.example:${world.port}/`, usual))).toBe('forbidden_address');
      expect([world.server.connections(), world.canary.connections()]).toEqual([0, 0]);
    },
  );

  test.each([
    '127.0.0.2',
    '127.2',
    '0x7f000002',
    '2130706434',
    '[::ffff:127.0.0.2]',
    '[::127.0.0.1]',
    '[::1]',
    '0.0.0.0',
  ])('the literal %s is refused without a connection', async (host) => {
    await using world = await serverAndCanary(sayHello);
    const { fetcher, lookups } = fetcherFor(world.port);
    expect(await reasonOf(fetcher.fetch(`http://${host}:${world.port}/`, usual))).toBe('forbidden_address');
    expect([lookups.length, world.server.connections(), world.canary.connections()]).toEqual([0, 0, 0]);
  });

  test('a broken connection is not silently retried', async () => {
    await using world = await serverAndCanary((request) => request.socket.destroy());
    const { fetcher } = fetcherFor(world.port);
    expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe('connection_failed');
    expect(world.server.connections()).toBe(1);
  });

  test('a malformed network in the policy is an error when the fetcher is created', () => {
    const policy = {
      allowHttp: false,
      allowedPorts: [],
      allowedNetworks: ['10.0.0.0'],
      deniedNetworks: [],
      publicHost: null,
    };
    expect(() => createGuardedFetcher(policy)).toThrow('CIDR');
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %d is followed, relative or not, and each hop is resolved again',
    async (status) => {
      await using world = await serverAndCanary((request, response) => {
        if (request.url === '/start') response.writeHead(status, { location: 'next?x=1' }).end();
        else if (request.url === '/next?x=1')
          response.writeHead(status, { location: `http://other.example:${world.port}/end` }).end();
        else response.end(request.url);
      });
      const { fetcher, lookups } = fetcherFor(world.port);
      const fetched = await fetcher.fetch(`http://a.example:${world.port}/start`, usual);
      expect(new TextDecoder().decode(fetched.body)).toBe('/end');
      expect(lookups).toEqual(['a.example', 'a.example', 'other.example']);
    },
  );

  test.each([
    ['http://127.0.0.2:PORT/', 'forbidden_address'],
    ['//127.0.0.2:PORT/', 'forbidden_address'],
    ['http://[::ffff:7f00:2]:PORT/', 'forbidden_address'],
    ['http://2130706434:PORT/', 'forbidden_address'],
    ['http://user:secret@127.0.0.1:PORT/', 'credentials'],
    ['//user@a.example:PORT/', 'credentials'],
    ['http://a.example:1/', 'port'],
    ['file:///etc/passwd', 'scheme'],
    ['data:text/plain,x', 'scheme'],
    ['http://[', 'bad_redirect'],
    ['http://a b/', 'bad_redirect'],
  ])('a redirect to %s is refused: %s', async (location, reason) => {
    await using world = await serverAndCanary((_request, response) => {
      response.writeHead(302, { location: location.replace('PORT', String(world.port)) }).end();
    });
    const { fetcher } = fetcherFor(world.port);
    expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe(reason);
    expect([world.server.connections(), world.canary.connections()]).toEqual([1, 0]);
  });

  test('a name that is rebound between two hops is refused at the second', async () => {
    await using world = await serverAndCanary((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    );
    const { fetcher } = fetcherFor(world.port, [['127.0.0.1'], ['127.0.0.2']]);
    expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe('forbidden_address');
    expect([world.server.connections(), world.canary.connections()]).toEqual([1, 0]);
  });

  test.each<[Record<string, string[]>]>([[{}], [{ location: ['/one', '/two'] }]])(
    'a redirect with Location %j is refused',
    async (headers) => {
      await using world = await serverAndCanary((_request, response) =>
        response
          .setHeaders(new Map(Object.entries(headers)))
          .writeHead(302)
          .end(),
      );
      const { fetcher } = fetcherFor(world.port);
      expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe('bad_redirect');
    },
  );

  test('a loop ends after as many redirects as allowed', async () => {
    await using world = await serverAndCanary((_request, response) => response.writeHead(302, { location: '/' }).end());
    const { fetcher } = fetcherFor(world.port);
    expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe('too_many_redirects');
    expect(world.server.connections()).toBe(usual.maxRedirects + 1);
  });

  test('a redirect is returned as it is if no redirects are allowed', async () => {
    await using world = await serverAndCanary((_request, response) =>
      response.writeHead(302, { location: '/x' }).end('moved'),
    );
    const { fetcher } = fetcherFor(world.port);
    const fetched = await fetcher.fetch(`http://a.example:${world.port}/`, { ...usual, maxRedirects: 0 });
    expect([fetched.status, fetched.headers.location, world.server.connections()]).toEqual([302, '/x', 1]);
  });

  test('headers meant for one origin do not reach another, and cookies are never sent', async () => {
    const seen: (string | undefined)[][] = [];
    await using world = await serverAndCanary((request, response) => {
      const { authorization, cookie, accept } = request.headers;
      seen.push([authorization, cookie, accept]);
      const location = ['/same', `http://other.example:${world.port}/`][seen.length - 1];
      if (location) response.writeHead(302, { location, 'set-cookie': 'session=1' });
      response.end();
    });
    const { fetcher } = fetcherFor(world.port);
    const headers = { Authorization: 'Bearer secret', Accept: 'image/*' };
    await fetcher.fetch(`http://a.example:${world.port}/`, { ...usual, headers });
    expect(seen).toEqual([
      ['Bearer secret', undefined, 'image/*'],
      ['Bearer secret', undefined, 'image/*'],
      [undefined, undefined, 'image/*'],
    ]);
  });

  test('http is refused if the policy allows only https', async () => {
    const fetcher = createGuardedFetcher(strictPolicy);
    expect(await reasonOf(fetcher.fetch('http://127.0.0.1/', usual))).toBe('scheme');
  });
});

describe('ending early', () => {
  test('a caller can abort a fetch, and gets its own reason back', async () => {
    const caller = new AbortController();
    await using world = await serverAndCanary(() => caller.abort(new Error('changed my mind')));
    const { fetcher } = fetcherFor(world.port);
    const fetching = fetcher.fetch(`http://a.example:${world.port}/`, { ...usual, signal: caller.signal });
    await expect(fetching).rejects.toThrow('changed my mind');
    await world.server.idle();
    const second = fetcher.fetch(`http://a.example:${world.port}/`, { ...usual, signal: caller.signal });
    await expect(second).rejects.toThrow('changed my mind');
    expect(world.server.connections()).toBe(1);
  });

  test('close aborts the fetches under way and refuses later ones', async () => {
    const arrived = Promise.withResolvers<void>();
    await using world = await serverAndCanary(() => arrived.resolve());
    const { fetcher } = fetcherFor(world.port);
    const fetching = reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual));
    await arrived.promise;
    await fetcher.close();
    expect(await fetching).toBe('connection_failed');
    expect(await reasonOf(fetcher.fetch(`http://a.example:${world.port}/`, usual))).toBe('connection_failed');
    expect(world.server.connections()).toBe(1);
  });
});
