import { randomBytes } from 'node:crypto';
import { createPastPartitions } from '@kinora/stack/harness/past-partitions';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { newId } from '../../domain/id.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import { hashApiKey } from '../../operations/keys/authenticate.ts';
import { createApiKey } from '../../operations/keys/create-api-key.ts';
import { callerOf, operator, useWorld } from '../../operations/operations.fixture.ts';
import { acceptTask } from '../../operations/tasks/accept-task.ts';
import { type Database, isDatabaseUnavailable } from '../database.ts';
import { oldPartitions } from './old-partitions.ts';
import type { Schema } from './schema.ts';

const world = useWorld(2);
/** One connection, so that all statements are of one session. */
let db: Database;
beforeAll(async () => {
  db = world.connect(1);
});

/** Runs a statement often enough to be named, and for Postgres to decide. Returns whether it then kept its plan. */
async function keepsPlan(marker: string, run: () => Promise<unknown>): Promise<boolean> {
  for (let count = 0; count < 20; count += 1) await run();
  const { rows } = await sql<{ generic: number; custom: number }>`
    select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where strpos(statement, ${marker}) > 0 and statement not like '%pg_prepared_statements%'`.execute(db.kysely);
  expect(rows).toHaveLength(1);
  const [plans] = rows;
  return plans !== undefined && plans.generic >= 10 && plans.custom <= 6;
}

it('Postgres plans the read and the create of a task once per session, whatever the id', async () => {
  const project = await world.newProject();
  const { id } = await world.accept(project);
  const accept = () => acceptTask({ ...world, db }, callerOf(project), strayId('task', new Date()), plainRequest);
  const kept = {
    'key and task': await keepsPlan('live_entries', () => db.apiKeys.findByHash(randomBytes(32), id)),
    'key by id, session and task': await keepsPlan('console_sessions', () =>
      db.apiKeys.findById(strayId('key', new Date()), { sessionId: newId('sess', new Date()), taskId: id }),
    ),
    accept: await keepsPlan('insert into outbox', accept),
  };
  expect(kept).toEqual({ 'key and task': true, 'key by id, session and task': true, accept: true });
});

it('reads with a kept plan neither fail nor miss a task while days are added and dropped', async () => {
  const project = await world.newProject();
  const { key } = await createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key' });
  const { id } = await world.accept(project);
  const readers = world.connect(4);
  const read = () => readers.apiKeys.findByHash(hashApiKey(key), id);
  const client = new pg.Client(world.url);
  await client.connect();
  let isOver = false;
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      let reads = 0;
      for (; !isOver || reads < 20; reads += 1) expect((await read())?.view?.task.id).toBe(id);
      return reads;
    }),
  );
  await createPastPartitions(client, 6);
  await client.end();
  const partitions = oldPartitions(world.db.kysely);
  const today = new Date().toISOString().slice(0, 10);
  const past = (await partitions.list()).filter(({ table, day }) => table === 'tasks' && day < today);
  for (const partition of past) expect(await partitions.drop(partition)).toBe(true);
  isOver = true;
  expect(past.length).toBeGreaterThanOrEqual(6);
  expect(Math.min(...(await reading))).toBeGreaterThanOrEqual(20);
});

it('what names many rows is one statement for a session, however many rows it names', async () => {
  const one = world.connect(1);
  for (let count = 1; count <= 10; count += 1) {
    const ids = Array.from({ length: count }, () => strayId('task', new Date()));
    await one.tasks.states(ids);
    await one.tasks.giveBack(ids);
    await one.openTasks.markChecked(ids, new Date());
    await one.openTasks.explain(ids, 'pool_unserved');
    await one.outbox.delete(ids.map((_, index) => String(index)));
    await one.outbox.postpone(
      ids.map((_, index) => String(index)),
      1_000,
    );
    await one.webhookDeliveries.markChecked(
      ids.map(() => strayId('del', new Date())),
      new Date(),
    );
  }
  const { rows } = await sql<{ named: number }>`select count(*)::int as named from pg_prepared_statements`.execute(
    one.kysely,
  );
  expect(rows).toEqual([{ named: 7 }]);
});

describe('a migration that changes the columns of a kept statement', () => {
  async function change(table: string) {
    const one = world.connect(1).kysely;
    await sql.raw(`create table ${table} (number integer)`).execute(world.db.kysely);
    const add = (db: Kysely<Schema>) => sql`insert into ${sql.table(table)} values (${1}) returning *`.execute(db);
    for (let count = 0; count < 6; count += 1) await add(one);
    await sql.raw(`alter table ${table} add column text text default 'new'`).execute(world.db.kysely);
    const rows = async () => (await sql`select from ${sql.table(table)}`.execute(one)).rows.length;
    return { one, add, rows };
  }

  it('fails none outside a transaction: it is repeated once, with a new plan', async () => {
    const { one, add, rows } = await change('changed_once');
    for (let count = 0; count < 6; count += 1) expect((await add(one)).rows).toEqual([{ number: 1, text: 'new' }]);
    expect(await rows()).toBe(12);
  });

  it('fails a transaction as an outage does, and the next one has a new session', async () => {
    const { one, add, rows } = await change('changed_in_transaction');
    const inTransaction = () => one.transaction().execute(add);
    expect(await inTransaction().catch(isDatabaseUnavailable)).toBe(true);
    expect((await inTransaction()).rows).toEqual([{ number: 1, text: 'new' }]);
    expect(await rows()).toBe(7);
  });
});
