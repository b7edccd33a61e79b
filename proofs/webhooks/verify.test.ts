import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { failureModes, failureOf } from './failure-modes.ts';
import { isAcceptedByPackage, isAcceptedBySpecification } from './verify.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"id":"evt_1"}';
const at = new Date();
const headers = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': `v1,bm9uZQ== ${new Webhook(secret).sign('evt_1', at, body)}`,
};

test('both verifiers accept a valid signature and refuse every change', () => {
  const both = (given: typeof headers, text = body, key = secret) => [
    isAcceptedByPackage(key, given, text),
    isAcceptedBySpecification(key, given, text),
  ];
  expect(both(headers)).toEqual([true, true]);
  expect(both(headers, `${body} `)).toEqual([false, false]);
  expect(both({ ...headers, 'webhook-id': 'evt_2' })).toEqual([false, false]);
  expect(both({ ...headers, 'webhook-timestamp': '1000000000' })).toEqual([false, false]);
  expect(both({ ...headers, 'webhook-signature': 'v1,bm9uZQ==' })).toEqual([false, false]);
  expect(both(headers, body, `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toEqual([false, false]);
});

test('the receiver fails three of ten requests, in ten modes, and never more tries of one id than allowed', () => {
  const failures = Array.from({ length: 10_000 }, (_, index) => failureOf(`evt_${index}`, 1, 2));
  const failed = failures.filter((failure) => failure !== null);
  expect(failed.length / failures.length).toBeGreaterThan(0.28);
  expect(failed.length / failures.length).toBeLessThan(0.32);
  expect(new Set(failed)).toEqual(new Set(Object.keys(failureModes)));
  expect(Object.keys(failureModes)).toHaveLength(10);
  expect(Array.from({ length: 1000 }, (_, index) => failureOf(`evt_${index}`, 3, 2)).filter(Boolean)).toEqual([]);
});
