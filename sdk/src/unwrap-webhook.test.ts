import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { unwrapWebhook, WebhookVerificationError } from './index.ts';

const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const body = JSON.stringify({
  id: 'evt_1',
  type: 'video.completed',
  created_at: 1,
  data: { id: 'task_1', prompt: 'é' },
});

/** Signed by another implementation of the standard. */
function headersOf(at = new Date(), by = secret) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  };
}

describe('a webhook', () => {
  test('that the secret signed is handed back, from text and bytes, from either kind of headers', async () => {
    const event = { id: 'evt_1', type: 'video.completed' };
    expect(await unwrapWebhook(body, headersOf(), secret)).toMatchObject(event);
    expect(await unwrapWebhook(Buffer.from(body), new Headers(headersOf()), secret)).toMatchObject(event);
  });

  test('signed twice, while a secret is rotated, verifies by either', async () => {
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    const headers = headersOf();
    const both = `${headersOf(new Date(), other)['webhook-signature']} ${headers['webhook-signature']}`;
    expect(await unwrapWebhook(body, { ...headers, 'webhook-signature': both }, secret)).toMatchObject({ id: 'evt_1' });
    const broken = `v1,%%% ${headers['webhook-signature']}`;
    expect(await unwrapWebhook(body, { ...headers, 'webhook-signature': broken }, secret)).toMatchObject({
      id: 'evt_1',
    });
  });

  test('is found whatever the case of its headers', async () => {
    const shouting = Object.fromEntries(
      Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await unwrapWebhook(body, shouting, secret)).toMatchObject({ id: 'evt_1' });
  });

  test('is found where every header has a list of values', async () => {
    const { 'webhook-signature': signature, ...rest } = headersOf();
    const lists = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value]]));
    const headers = { ...lists, 'webhook-signature': ['v1,AAAA', signature] };
    expect(await unwrapWebhook(body, headers, secret)).toMatchObject({ id: 'evt_1' });
  });

  test('that a framework has parsed is refused with a word on that', async () => {
    const parsed = JSON.parse(body) as string; // as a framework types it: anything
    const unwrapped = unwrapWebhook(parsed, headersOf(), secret);
    await expect(unwrapped).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      message: expect.stringContaining('parsed already'),
    });
  });

  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  test.each([
    ['with another body', `${body} `, headersOf(), secret],
    ['of another secret', body, headersOf(), 'whsec_b3RoZXI='],
    ['from long ago', body, headersOf(minutes(-6)), secret],
    ['from the future', body, headersOf(minutes(6)), secret],
    ['with another id', body, { ...headersOf(), 'webhook-id': 'evt_2' }, secret],
    ['without a signature', body, { ...headersOf(), 'webhook-signature': undefined }, secret],
    ['with a signature that is none', body, { ...headersOf(), 'webhook-signature': 'v1,%%%' }, secret],
    ['checked with an empty secret', body, headersOf(), ''],
    ['checked with what is no secret', body, headersOf(), 'whsec_%%%'],
    ['with another version of signature', body, { ...headersOf(), 'webhook-signature': 'v2,AAAA' }, secret],
  ])('%s is refused', async (_name, text, headers, by) => {
    await expect(unwrapWebhook(text, headers, by)).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
