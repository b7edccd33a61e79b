import { createServer } from 'node:http';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { validEnvironment } from '../config/valid-environment.fixture.ts';
import { OutboundRefused } from '../errors.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { listen } from '../outbound/loopback-server.fixture.ts';
import type { OutboundPolicy } from '../outbound/outbound-policy.ts';
import { refusalOfUrl } from '../outbound/refusal-of-url.ts';
import { outboundPolicy, receiverPolicy } from './wire-webhooks.ts';

const configOf = (environment: Record<string, string>) => readConfig({ ...validEnvironment, ...environment });
const development = configOf({ KINORA_ENV: 'development' });
const production = configOf({});
/** A trial that others reach too: their webhooks have no business on this machine. */
const reachable = configOf({ KINORA_ENV: 'development', KINORA_PUBLIC_URL: 'http://trial.example.com' });
const listening = configOf({ KINORA_ENV: 'development', KINORA_HOST: '0.0.0.0' });
const resolve = async () => ['127.0.0.1'];

/** Returns the status of the response from a URL, or why it was refused. */
async function post(policy: OutboundPolicy, url: string): Promise<number | string> {
  const fetcher = createGuardedFetcher(policy, { resolve });
  try {
    return (
      await fetcher.fetch(url, {
        method: 'POST',
        maxBytes: 100,
        timeoutMilliseconds: hangLimitMilliseconds,
        maxRedirects: 0,
      })
    ).status;
  } catch (error) {
    if (error instanceof OutboundRefused) return error.reason;
    throw error;
  } finally {
    await fetcher.close();
  }
}

describe('webhooks to loopback', () => {
  test('a development installation sends webhooks to its own machine, over http and at any port', async () => {
    await using receiver = await listen(createServer((_request, response) => response.writeHead(204).end()));
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${receiver.port}/hook`;
      expect(refusalOfUrl(url, receiverPolicy(development))).toBeNull();
      expect(await post(receiverPolicy(development), url)).toBe(204);
    }
  });

  test.each([
    ['a production installation', receiverPolicy(production)],
    ['a development installation that others reach', receiverPolicy(reachable)],
    ['a development installation that listens to others', receiverPolicy(listening)],
    ['the fetcher of images and of outputs of engines, in development', outboundPolicy(development)],
  ])('%s never calls loopback', async (_name, policy) => {
    await using receiver = await listen(createServer((_request, response) => response.end()));
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    expect([refusalOfUrl(url, policy), await post(policy, url)]).toEqual(['scheme', 'scheme']);
    const secure = `https://127.0.0.1/hook`;
    expect([refusalOfUrl(secure, policy), await post(policy, secure)]).toEqual([
      'forbidden_address',
      'forbidden_address',
    ]);
    expect(receiver.connections()).toBe(0);
  });

  test.each([
    ['http://10.0.0.1:3000/', 'scheme'],
    ['https://10.0.0.1:3000/', 'port'],
    ['https://10.0.0.1/', 'forbidden_address'],
    ['http://169.254.169.254/', 'scheme'],
    ['https://[::ffff:10.0.0.1]/', 'forbidden_address'],
    ['http://0.0.0.0:3000/', 'scheme'],
    ['http://hooks.example.com/', 'scheme'],
    ['https://hooks.example.com:3000/', 'port'],
    // A name that leads to loopback is not loopback.
    ['https://hooks.example.com/', 'forbidden_address'],
  ])('a development installation refuses %s like any other: %s', async (url, reason) => {
    expect(await post(receiverPolicy(development), url)).toBe(reason);
  });

  test('a network that the operator denies stays refused in development', async () => {
    const denied = configOf({ KINORA_ENV: 'development', KINORA_OUTBOUND_DENIED_NETWORKS: '127.0.0.0/8' });
    expect(await post(receiverPolicy(denied), 'http://127.0.0.1:3000/')).toBe('forbidden_address');
  });
});
