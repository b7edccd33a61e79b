import { unwrapWebhook } from '@kinora/sdk';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { checkWebhookSecret, makeWebhookSecret, signWebhook } from './sign-webhook.ts';

const body = JSON.stringify({ id: 'evt_1', type: 'video.completed', data: { prompt: 'ein Käfer 🐞' } });

test('a signed webhook verifies with the reference implementation and with the SDK', async () => {
  const secret = makeWebhookSecret();
  const headers = signWebhook({ id: 'evt_1', body, secret });
  expect(headers['webhook-id']).toBe('evt_1');
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(await unwrapWebhook(body, headers, secret)).toEqual(JSON.parse(body));
});

test('a webhook with another secret, another body or an old timestamp does not verify', async () => {
  const secret = makeWebhookSecret();
  const headers = signWebhook({ id: 'evt_1', body, secret });
  await expect(unwrapWebhook(body, headers, makeWebhookSecret())).rejects.toThrow('No signature');
  await expect(unwrapWebhook(`${body} `, headers, secret)).rejects.toThrow('No signature');
  const old = signWebhook({ id: 'evt_1', body, secret }, Date.now() - 3_600_000);
  await expect(unwrapWebhook(body, old, secret)).rejects.toThrow('too old');
});

test('new secrets are unique, and a text that cannot be a secret is rejected', () => {
  expect(makeWebhookSecret()).not.toBe(makeWebhookSecret());
  const secret = makeWebhookSecret();
  expect(checkWebhookSecret(secret)).toBe(secret);
  for (const wrong of ['', 'secret', 'whsec_', 'whsec_YWJj', `whsec_${'A'.repeat(100)}`, secret.slice(6)]) {
    expect(() => checkWebhookSecret(wrong)).toThrow('KINORA_WEBHOOK_SECRET must be');
  }
});
