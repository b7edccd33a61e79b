import { WebhookVerificationError } from '@kinora/sdk';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifiedWebhook } from './receive-webhook.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
const event = { id: 'evt_1', type: 'video.completed', data: { id: 'task_1', metadata: { é: '1' } } };
const body = JSON.stringify(event);
const headers = {
  'Webhook-Id': 'evt_1',
  'Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
  'Webhook-Signature': new Webhook(secret).sign('evt_1', new Date(), body),
};

test('a signed webhook passes, with its body as text or parsed', async () => {
  for (const received of [body, event]) {
    const webhook = { headers, body: received };
    expect(await verifiedWebhook(Promise.resolve(webhook), secret)).toBe(webhook);
  }
});

test('a webhook that was changed or not signed is rejected', async () => {
  const changed = { headers, body: body.replace('completed', 'failed') };
  await expect(verifiedWebhook(Promise.resolve(changed), secret)).rejects.toBeInstanceOf(WebhookVerificationError);
  const unsigned = { headers: {}, body };
  await expect(verifiedWebhook(Promise.resolve(unsigned), secret)).rejects.toBeInstanceOf(WebhookVerificationError);
});
