import type { Task } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { keepKnown } from './keep-known.ts';

const now = 1_800_000_000_000;
const running = { status: 'in_progress', attempt: 1, stage: 'rendering', progress: 10 } as Task; // nothing else is compared
const withLinks = (thumbnail: string, expiresInSeconds: number) =>
  ({
    ...running,
    status: 'completed',
    video: { thumbnail_url: thumbnail, url_expires_at: now / 1000 + expiresInSeconds },
  }) as Task;

test('a read without news keeps the object and its links, so that pictures are not loaded again', () => {
  const known = withLinks('first', 1_800);
  expect(keepKnown(known, withLinks('second', 3_600), now)).toBe(known);
});

test('links that are about to expire are replaced', () => {
  const read = withLinks('second', 3_600);
  expect(keepKnown(withLinks('first', 30), read, now)).toBe(read);
});

test('any news replaces the object', () => {
  for (const news of [{ progress: 11 }, { stage: 'finishing' }, { attempt: 2 }, { queue_position: 4 }] as const) {
    const read = { ...running, ...news } as Task;
    expect(keepKnown(running, read, now)).toBe(read);
  }
});
