import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../domain/id.ts';
import { contentKey, rawKey } from '../../domain/object-key.ts';
import { createTestStorage, type TestStorage } from '../../storage/storage.fixture.ts';
import { beginOrThrow, createWorld, videoOf, type World } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { completeTask } from '../tasks/complete-task.ts';
import { sweepObjects } from './sweep-objects.ts';

let world: World;
let store: TestStorage;
beforeAll(async () => {
  [world, store] = await Promise.all([createWorld(), createTestStorage()]);
});
afterAll(async () => {
  await Promise.all([world?.close(), store?.drop()]);
});

const daySeconds = 24 * 60 * 60;
const put = (key: string) => store.storage.put(key, Buffer.from(key), 'video/mp4');

async function allKeys(): Promise<string[]> {
  const keys = [];
  for await (const { key } of store.storage.list('')) keys.push(key);
  return keys;
}

describe('the sweep', () => {
  it('the sweep deletes orphaned objects that are a day old, but not those of active tasks or those that are not ours', async () => {
    const { storage } = store;
    const project = await world.newProject({ runningLimit: 10 });
    const image = (id: string) => contentKey(id, 'c'.repeat(64), 'png');

    const completed = await world.accept(project);
    await beginOrThrow(world, completed);
    const video = videoOf(completed.id);
    await completeTask({ ...world, storage }, completed.id, 1, video);
    const active = await world.accept(project);
    const cancelled = await world.accept(project);
    await cancelTask(world, cancelled.id);
    const unknown = newId('task', new Date());

    const kept = [
      video.objectKey,
      video.thumbnailKey,
      video.spritesheetKey,
      rawKey(active.id, 1),
      image(active.id),
      'notes/readme.txt',
      // This key looks like ours but is not: no id has these characters.
      `2026-01-01/task_${'u'.repeat(26)}/raw-1`,
    ];
    const orphaned = [
      rawKey(completed.id, 1),
      contentKey(completed.id, 'b'.repeat(64), 'mp4'),
      rawKey(cancelled.id, 1),
      image(cancelled.id),
      rawKey(unknown, 1),
      image(unknown),
    ];
    for (const key of [...kept, ...orphaned]) await put(key);

    expect(await sweepObjects({ ...world, storage }, { olderThanSeconds: daySeconds, isDryRun: false })).toEqual([]);
    world.moveClock(daySeconds + 60);
    const dryRun = await sweepObjects({ ...world, storage }, { olderThanSeconds: daySeconds, isDryRun: true });
    expect(dryRun.sort()).toEqual([...orphaned].sort());
    expect(await allKeys()).toHaveLength(kept.length + orphaned.length);
    const swept = await sweepObjects({ ...world, storage }, { olderThanSeconds: daySeconds, isDryRun: false });
    expect(swept.sort()).toEqual([...orphaned].sort());
    expect((await allKeys()).sort()).toEqual([...kept].sort());
  });
});
