import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type TestEvent, unwrapWebhook, type WebhookEvent, WebhookVerificationError } from './index.ts';

const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const body = JSON.stringify({
  id: 'evt_1',
  type: 'video.completed',
  created_at: 1,
  data: { id: 'task_1', prompt: 'é' },
});

/** Returns headers that another implementation of the standard has signed. */
function headersOf(at = new Date(), by = secret) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  };
}

describe('a webhook', () => {
  test('with a valid signature is returned, from text or bytes and from either kind of headers', async () => {
    const event = { id: 'evt_1', type: 'video.completed' };
    expect(await unwrapWebhook(body, headersOf(), secret)).toMatchObject(event);
    expect(await unwrapWebhook(Buffer.from(body), new Headers(headersOf()), secret)).toMatchObject(event);
  });

  test('its type tells an event of a task from a test event, which has no task', async () => {
    const event = await unwrapWebhook(body, headersOf(), secret);
    expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
    expectTypeOf<Extract<WebhookEvent, { type: 'webhook.test' }>>().toEqualTypeOf<TestEvent>();
    expect(event.type === 'webhook.test' ? null : event.data.id).toBe('task_1');
  });

  test('signed twice, while a secret is rotated, verifies with either secret', async () => {
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    const headers = headersOf();
    const both = `${headersOf(new Date(), other)['webhook-signature']} ${headers['webhook-signature']}`;
    expect(await unwrapWebhook(body, { ...headers, 'webhook-signature': both }, secret)).toMatchObject({ id: 'evt_1' });
    const broken = `v1,%%% ${headers['webhook-signature']}`;
    expect(await unwrapWebhook(body, { ...headers, 'webhook-signature': broken }, secret)).toMatchObject({
      id: 'evt_1',
    });
  });

  test('verifies whatever the case of its headers', async () => {
    const shouting = Object.fromEntries(
      Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await unwrapWebhook(body, shouting, secret)).toMatchObject({ id: 'evt_1' });
  });

  test('verifies if every header has a list of values', async () => {
    const { 'webhook-signature': signature, ...rest } = headersOf();
    const lists = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value]]));
    const headers = { ...lists, 'webhook-signature': ['v1,AAAA', signature] };
    expect(await unwrapWebhook(body, headers, secret)).toMatchObject({ id: 'evt_1' });
  });

  test('that a framework has parsed is refused with a message that says so', async () => {
    const parsed = JSON.parse(body) as string; // frameworks type a parsed body as any
    const unwrapped = unwrapWebhook(parsed, headersOf(), secret);
    await expect(unwrapped).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      message: expect.stringContaining('already parsed'),
    });
  });

  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  test.each([
    ['with another body', `${body} `, headersOf(), secret],
    ['signed with another secret', body, headersOf(), 'whsec_b3RoZXI='],
    ['that is six minutes old', body, headersOf(minutes(-6)), secret],
    ['from six minutes in the future', body, headersOf(minutes(6)), secret],
    ['with another id', body, { ...headersOf(), 'webhook-id': 'evt_2' }, secret],
    ['without a signature', body, { ...headersOf(), 'webhook-signature': undefined }, secret],
    ['with a signature that is not base64', body, { ...headersOf(), 'webhook-signature': 'v1,%%%' }, secret],
    ['checked with an empty secret', body, headersOf(), ''],
    ['checked with a secret that is not set', body, headersOf(), undefined as unknown as string],
    ['without headers', body, undefined as unknown as Headers, secret],
    ['without a body', undefined as unknown as string, headersOf(), secret],
    ['checked with a secret that is not base64', body, headersOf(), 'whsec_%%%'],
    ['with another version of signature', body, { ...headersOf(), 'webhook-signature': 'v2,AAAA' }, secret],
  ])('%s is refused', async (_name, text, headers, by) => {
    await expect(unwrapWebhook(text, headers, by)).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
