import { describe, expect, it } from 'vitest';
import type { Database } from '../../db/database.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { createApiKey } from './create-api-key.ts';
import { createKeyUse } from './key-use.ts';

const world = useWorld(4);

async function newKeys(count: number) {
  const { id: projectId } = await world.newProject();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await createApiKey(world, operator, { projectId, livemode: true, name: `key ${index}` })).id);
  }
  const lastUses = () => Promise.all(ids.map(async (id) => (await world.db.apiKeys.find(id))?.lastUsedAt));
  return { ids, lastUses };
}

/** Wraps the real table: it counts writes, and lets them fail while `isUnreachable` is set. */
function countWrites() {
  const table = { writes: 0, keys: 0, isUnreachable: false };
  const noteUse: Database['apiKeys']['noteUse'] = async (uses) => {
    table.writes += 1;
    table.keys += uses.length;
    if (table.isUnreachable) throw new Error('Connection terminated');
    await world.db.apiKeys.noteUse(uses);
  };
  const db = { apiKeys: { ...world.db.apiKeys, noteUse } };
  // Only the test flushes.
  const keyUse = createKeyUse({ ...world, db, flushEveryMilliseconds: 3_600_000 });
  return { table, keyUse };
}

const thisMinute = () => new Date(Math.floor(world.clock.now().getTime() / 60_000) * 60_000);

describe('the last use of keys', () => {
  it('the last use of keys is written to the minute, for all keys in one statement, at most once per minute', async () => {
    const { ids, lastUses } = await newKeys(5);
    const { table, keyUse } = countWrites();
    for (let round = 0; round < 100; round += 1) for (const id of ids.slice(0, 4)) keyUse.note(id);
    await keyUse.flush();
    for (const id of ids) keyUse.note(id);
    await keyUse.flush();
    await keyUse.flush();
    // Only the fifth key was new in the second batch.
    expect(table).toMatchObject({ writes: 2, keys: 5 });
    expect(await lastUses()).toEqual(ids.map(() => thisMinute()));

    const before = thisMinute();
    await world.moveClock(60);
    for (const id of ids.slice(0, 1)) keyUse.note(id);
    await keyUse.close();
    expect(table).toMatchObject({ writes: 3, keys: 6 });
    expect(await lastUses()).toEqual([thisMinute(), before, before, before, before]);
  });

  it('noting the use of a key never throws while Postgres is unreachable, and the remembered uses are written later', async () => {
    const { ids, lastUses } = await newKeys(2);
    const { table, keyUse } = countWrites();
    table.isUnreachable = true;
    for (const id of ids) keyUse.note(id);
    await keyUse.flush();
    expect(await lastUses()).toEqual([null, null]);
    table.isUnreachable = false;
    await keyUse.close();
    expect(await lastUses()).toEqual([thisMinute(), thisMinute()]);
  });

  it('the last use of a key never moves back in time, and processes that write the same keys in any order do not deadlock', async () => {
    const { ids, lastUses } = await newKeys(20);
    const late = new Date(thisMinute().getTime() + 600_000);
    const rounds = Array.from({ length: 40 }, (_, round) => {
      const at = round === 7 ? late : new Date(late.getTime() - (round + 1) * 60_000);
      const uses = ids.map((keyId) => ({ keyId, at }));
      return world.db.apiKeys.noteUse(round % 2 === 0 ? uses : uses.toReversed());
    });
    await Promise.all(rounds);
    expect(await lastUses()).toEqual(ids.map(() => late));
    await world.db.apiKeys.noteUse([{ keyId: strayId('key', new Date()), at: late }]);
  });
});
