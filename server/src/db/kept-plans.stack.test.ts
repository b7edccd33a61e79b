import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../domain/id.ts';
import { plainRequest } from '../domain/task.fixture.ts';
import { callerOf, createWorld, type World } from '../operations/operations.fixture.ts';
import { acceptTask } from '../operations/tasks/create-task.ts';
import type { Database } from './database.ts';

let world: World;
/** One connection, so that all statements are of one session. */
let db: Database;
beforeAll(async () => {
  world = await createWorld(2);
  db = world.connect(1);
});
afterAll(() => world?.close());

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

it('Postgres plans the reads and the create of a task once per session, whatever the id', async () => {
  const project = await world.newProject();
  const owner = { projectId: project.id, livemode: true };
  const { id } = await world.accept(project);
  const accept = () => acceptTask({ ...world, db }, callerOf(project), newId('task', new Date()), plainRequest);
  const kept = {
    'key and task': await keepsPlan('live_entries', () => db.apiKeys.findByHash(randomBytes(32), id)),
    accept: await keepsPlan('insert into outbox', accept),
    task: await keepsPlan('for update', () => db.transaction((tables) => tables.tasks.lock(id))),
    view: await keepsPlan('"projects"."id" = "tasks"."project_id"', () => db.taskViews.find(id, owner)),
  };
  expect(kept).toEqual({ 'key and task': true, accept: true, task: true, view: true });
});
