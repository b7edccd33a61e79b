import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { Client } from 'pg';

/** Makes Postgres record when a transaction with an event is about to commit, so that the time includes the commit. */
export async function recordCommitTimes(database: Client): Promise<void> {
  await database.query('create unlogged table proof_commits (task_id uuid, at timestamptz)');
  await database.query(`
    create function proof_note_commit() returns trigger language plpgsql as
    $$ begin insert into proof_commits values (new.task_id, clock_timestamp()); return null; end $$`);
  // A deferred trigger runs at the end of the transaction. A partitioned table cannot have one, but its partitions can.
  const { rows } = await database.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass`,
  );
  for (const { name } of rows) {
    await database.query(`
      create constraint trigger proof_commit after insert on ${name}
      deferrable initially deferred for each row execute function proof_note_commit()`);
  }
}

/** Returns when the event of each task was committed, in unix milliseconds. */
export async function readCommitTimes(database: Client): Promise<Map<string, number>> {
  const { rows } = await database.query<{ task_id: string; at: string }>(
    'select task_id, (extract(epoch from at) * 1000)::float8 as at from proof_commits',
  );
  return new Map(rows.map((row) => [taskIdOf(row.task_id), Number(row.at)]));
}
