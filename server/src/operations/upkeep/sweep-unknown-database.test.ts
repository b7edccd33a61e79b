import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { startEmptyPostgres } from '../../db/connection/empty-postgres.fixture.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { contentKey } from '../../domain/object-key.ts';
import type { Storage } from '../../storage/storage.ts';
import { reviewBucket } from './review-bucket.ts';
import { sweepObjects } from './sweep-objects.ts';

const clock = clockAt(() => new Date('2026-11-15T12:00:00Z'));
const madeAt = new Date('2026-11-13T12:00:00Z');
const videos = Array.from({ length: 3 }, () => contentKey(strayId('task', madeAt), 'abcdef', 'mp4')).sort();

/** Returns a bucket whose objects are all two days old. */
function bucketOf(objects: Map<string, Uint8Array>): Storage {
  const unused = async (): Promise<never> => {
    throw new Error('a sweep does not need this');
  };
  return {
    put: async (key, body) => void objects.set(key, body),
    putFile: unused,
    putStream: unused,
    head: async (key) => ({ sizeBytes: objects.get(key)?.length ?? 0 }),
    read: async (key) => (objects.has(key) ? Readable.from([objects.get(key)]) : null),
    delete: async (keys) => {
      for (const key of keys) objects.delete(key);
    },
    copy: unused,
    async *listUnfinishedUploads() {},
    abortUpload: unused,
    async *list(prefix) {
      for (const [key, { length }] of objects)
        if (key.startsWith(prefix)) yield { key, sizeBytes: length, modifiedAt: madeAt };
    },
    listFolders: async () => [...new Set([...objects.keys()].map((key) => key.slice(0, key.indexOf('/'))))],
    publicUrl: async () => null,
    check: async () => undefined,
  };
}

describe('a sweep against an empty database', () => {
  const objects = new Map(videos.map((key) => [key, new Uint8Array(1)]));
  beforeAll(async () => {
    await using postgres = await startEmptyPostgres();
    const parts = { db: postgres.connect(), storage: bucketOf(objects), clock };
    // The sweep may refuse or find nothing to do: only the videos matter here.
    await Promise.allSettled([sweepObjects(parts, { olderThanSeconds: 86_400, isDryRun: false })]);
  });

  test('a sweep against an empty database deletes no videos', () => {
    expect([...objects.keys()]).toEqual(expect.arrayContaining(videos));
  });
});

test('a review of a bucket keeps a bounded number of keys, and begins with the newest day', async () => {
  const [older, newer] = ['2026-11-12', '2026-11-13'].map((day) => strayId('task', new Date(`${day}T12:00:00Z`)));
  const newest = Array.from({ length: 100_001 }, (_, index) => contentKey(newer ?? '', `abcdef${index}`, 'mp4'));
  const keys = [contentKey(older ?? '', 'abcdef', 'mp4'), ...newest];
  const objects = new Map(keys.map((key) => [key, new Uint8Array(1)]));
  await using postgres = await startEmptyPostgres();
  const parts = { db: postgres.connect(), storage: bucketOf(objects) };
  const { orphaned } = await reviewBucket(parts, clock.now(), { stopAtSuspiciousDay: false });
  expect(orphaned).toHaveLength(100_000);
  expect(orphaned).not.toContain(keys[0]);
});
