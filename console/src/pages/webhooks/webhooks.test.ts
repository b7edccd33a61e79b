import { expect, test } from 'vitest';
import { deadReason, outcomeOf, statusOf } from '../../tasks/delivery-words.ts';
import { readWebhooksSearch } from './webhooks-search.ts';

test('the address of the page is read without what is malformed', () => {
  const search = { status: 'dead', endpoint: 'whk_01m7', event: 'webhook.test', task: 'task_../x', delivery: 7 };
  expect(readWebhooksSearch(search)).toEqual({ status: 'dead', endpoint: 'whk_01m7', event: 'webhook.test' });
});

test('a try is a success only with a status of 2xx', () => {
  expect(outcomeOf({ status: 204, reason: null })).toEqual({ isSuccess: true, text: 'Responded with 204' });
  expect(outcomeOf({ status: 302, reason: null }).isSuccess).toBe(false);
  expect(outcomeOf({ status: null, reason: 'timeout' })).toEqual({ isSuccess: false, text: 'No response in time' });
  expect(outcomeOf({ status: null, reason: 'tls_failed' })).toEqual({ isSuccess: false, text: 'tls failed' });
});

test('reasons that this console does not know yet are shown as they are', () => {
  expect(deadReason({ dead_reason: 'new_reason' as 'lost' })).toBe('new_reason');
  expect(deadReason({ dead_reason: null })).toBeNull();
  expect(statusOf({ status: 'pending', try_count: 2 })).toEqual(['live', 'Retrying']);
});
