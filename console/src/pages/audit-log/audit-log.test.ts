import { expect, test } from 'vitest';
import { auditQuery, readAuditLogSearch } from './audit-log-search.ts';
import { actionText, detailFacts } from './audit-words.ts';

test('the address of the page is read without what is malformed', () => {
  const search = { action: 'api_key.created', key: 'whk_1', from: '2026-11-01', to: 'yesterday' };
  expect(readAuditLogSearch(search)).toEqual({ action: 'api_key.created', from: '2026-11-01' });
  expect(readAuditLogSearch({ action: 'toString' })).toEqual({});
});

test('the last day of a search is part of it', () => {
  expect(auditQuery({ from: '2026-11-01', to: '2026-11-01' })).toEqual({
    created_after: Date.UTC(2026, 10, 1) / 1000,
    created_before: Date.UTC(2026, 10, 2) / 1000,
  });
});

test('actions that this console does not know yet are shown as they are', () => {
  expect(actionText('task.deleted')).toBe('Deleted a task');
  expect(actionText('task.teleported')).toBe('task.teleported');
});

test('the details of an event are texts', () => {
  expect(detailFacts({ changed: ['url', 'events'], events: [], running_limit: 3, expires_at: null })).toEqual([
    ['changed', 'url, events'],
    ['events', 'none'],
    ['running limit', '3'],
    ['expires at', 'none'],
  ]);
});
