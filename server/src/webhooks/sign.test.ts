import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, signWebhook } from './sign.ts';

const message = {
  id: 'evt_01k9zqv3x4e8rb6t7y2m5n0p1q',
  at: new Date(),
  body: '{"type":"video.completed","data":"ä🎞"}',
};

/** Written from the specification, not from our own code. */
function isSignedWith(secret: string, headers: Record<string, string>, body: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(Buffer.from(content, 'utf8')).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((part) => {
    const [version, signature = ''] = part.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

describe('a webhook signature', () => {
  it('equals the one in the specification for a known secret, id, time and body', () => {
    // The example of the specification's reference libraries.
    const headers = signWebhook(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1614265330 * 1000), body: '{"test": 2432232314}' },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is accepted by the standardwebhooks package and by a verifier written from the specification', () => {
    const secret = newWebhookSecret();
    const headers = signWebhook(message, [secret]);
    expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body));
    expect(isSignedWith(secret, headers, message.body)).toBe(true);
  });

  it('is sent for both secrets during a rotation, so that holders of either one accept it', () => {
    const [newer, older, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const headers = signWebhook(message, [newer, older]);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [newer, older]) {
      expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body));
      expect(isSignedWith(secret, headers, message.body)).toBe(true);
    }
    expect(() => new Webhook(other).verify(message.body, headers)).toThrow('No matching signature');
    expect(isSignedWith(other, headers, message.body)).toBe(false);
  });

  it('is not valid for another body, id or time', () => {
    const secret = newWebhookSecret();
    const headers = signWebhook(message, [secret]);
    const changed = [
      [headers, `${message.body} `],
      [{ ...headers, 'webhook-id': 'evt_other' }, message.body],
      [{ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }, message.body],
    ] as const;
    for (const [doctored, body] of changed)
      expect(() => new Webhook(secret).verify(body, doctored)).toThrow('No matching signature');
  });
});

it('a webhook secret is whsec_ and 32 bytes, and never the same twice', () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(one.slice(6), 'base64')).toHaveLength(32);
  expect(one).not.toBe(other);
});
