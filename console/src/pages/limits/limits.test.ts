import type { Limits } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { limitGroups } from './limit-rows.ts';

const limits: Limits = {
  object: 'limits',
  livemode: true,
  creates: { limit_per_minute: 60, burst: 30, remaining: 22, reset_seconds: 8 },
  reads: { limit_per_minute: 600, burst: 200, remaining: 200, reset_seconds: 0 },
  uploads: { limit_per_minute: 60, burst: 30, remaining: 30, reset_seconds: 0 },
  running: { limit: 8, used: 8 },
  waiting: { limit: 1000, used: 12 },
  waiting_total: { limit: 10_000, used: 14 },
  storage: { limit_bytes: 5e9, used_bytes: 1.4e9 },
  files: { limit: 100, used: 3 },
};

test('each limit says how much of it is used, in its unit', () => {
  const rows = limitGroups(limits).flatMap(({ rows }) => rows);
  expect(rows.map(({ name, used, limit, text }) => [name, used, limit, text])).toEqual([
    ['Running at once', 8, 8, '8 of 8'],
    ['Waiting for one model', 12, 1000, '12 of 1,000'],
    ['Waiting in all', 14, 10_000, '14 of 10,000'],
    ['Creates', 8, 30, '22 left now, all 30 in 8 s · 60 per minute'],
    ['Uploads', 0, 30, '30 left now · 60 per minute'],
    ['Other requests, per key', 0, 200, '200 left now · 600 per minute'],
    ['Stored bytes', 1.4e9, 5e9, '1.4 GB of 5 GB'],
    ['Uploaded files', 3, 100, '3 of 100'],
  ]);
});
