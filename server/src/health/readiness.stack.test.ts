import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../db/database.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { unreachableStorage } from '../storage/storage.fixture.ts';
import { createReadiness } from './readiness.ts';

const database = useTestDatabase();

async function isReady(): Promise<{ ready: boolean; schema: string | undefined }> {
  const storage = unreachableStorage('http://127.0.0.1:1');
  // The store and Temporal do not decide.
  const workflows = { check: () => Promise.reject(new Error('unreachable')) } as never;
  const parts = { db: database.db, storage, workflows, clock: systemClock };
  const { ready, checks } = await createReadiness(parts, null).check();
  storage.close();
  return { ready, schema: checks['schema'] };
}

describe('a process during an upgrade', () => {
  it('one of the older version is ready beside a newer schema, and one of the newer version not before its migration', async () => {
    const { kysely } = database.db;
    expect(await isReady()).toEqual({ ready: true, schema: 'ok' });
    await sql`insert into kysely_migration (name, timestamp) values ('9999-newer', '')`.execute(kysely);
    expect(await isReady()).toEqual({ ready: true, schema: 'ok' });
    await sql`delete from kysely_migration where name = (
      select max(name) from kysely_migration where name <> '9999-newer')`.execute(kysely);
    expect(await isReady()).toEqual({ ready: false, schema: 'failed' });
  });
});
