import type { Task } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { listQueryOf, matchesSearch, readGallerySearch } from './gallery-search.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const task = {
  prompt: 'A Paper boat on a wide river',
  model: 'animatic',
  resolution: '480p',
  aspect_ratio: '16:9',
  status: 'completed',
  created_at: now / 1000 - 3_600,
} as Task; // the filters read no other field

test('the address keeps what is well formed and drops the rest', () => {
  const search = { q: 'boat', model: 'animatic', resolution: '480p', ratio: '9:16', status: 'failed', since: 'week' };
  expect(readGallerySearch(search)).toEqual(search);
  expect(readGallerySearch({ q: 42, from: '2026-11-01', to: '2026-11-02' })).toEqual({
    q: '42',
    from: '2026-11-01',
    to: '2026-11-02',
  });
  expect(readGallerySearch({ q: ' ', resolution: '8k', status: 'gone', since: 'ever', from: 'soon', x: 1 })).toEqual(
    {},
  );
});

test('filters become a request', () => {
  expect(listQueryOf({}, now)).toEqual({ status: ['completed', 'in_progress', 'failed', 'cancelled'] });
  expect(listQueryOf({ status: 'queued' }, now)).toEqual({ status: 'queued' });
  expect(listQueryOf({ q: 'boat', ratio: '1:1', key: 'key_1', since: 'day', status: 'failed' }, now)).toEqual({
    status: 'failed',
    q: 'boat',
    aspect_ratio: '1:1',
    key_id: 'key_1',
    created_after: now / 1000 - 86_400,
  });
});

test('a range of days includes both of them, in the time of the reader', () => {
  const { created_after, created_before } = listQueryOf({ from: '2026-11-01', to: '2026-11-01' }, now);
  expect(created_after).toBe(new Date(2026, 10, 1).getTime() / 1000);
  expect(created_before).toBe(new Date(2026, 10, 2).getTime() / 1000);
});

test('new tasks are shown only if the filters leave them', () => {
  expect(matchesSearch(task, {}, now)).toBe(true);
  expect(matchesSearch(task, { q: 'river PAPER', since: 'day', model: 'animatic' }, now)).toBe(true);
  expect(matchesSearch(task, { q: 'paper plane' }, now)).toBe(false);
  expect(matchesSearch(task, { ratio: '1:1' }, now)).toBe(false);
  expect(matchesSearch(task, { status: 'failed' }, now)).toBe(false);
  expect(matchesSearch(task, { to: '2026-11-01' }, now)).toBe(false);
  expect(matchesSearch({ ...task, status: 'queued' } as Task, {}, now)).toBe(false);
  expect(matchesSearch(task, { key: 'key_1' }, now)).toBe(false);
});
