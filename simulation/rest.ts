import { sql } from 'kysely';
import type { World } from './world.ts';

interface Rest {
  /** Whether all that was to happen has happened. */
  isOver: () => boolean;
  isTooLate: () => boolean;
  /** Called after each second. */
  look?: () => Promise<void>;
}

/** Runs the world until nothing is open, and starts dead processes again. Returns whether it came to that in time. */
export async function runUntilRest(world: World, { isOver, isTooLate, look }: Rest): Promise<boolean> {
  const { scheduler } = world;
  while (!isTooLate()) {
    await scheduler.run(() => false, scheduler.milliseconds + 1_000);
    world.restartDead();
    await look?.();
    if (isOver() && (await isAtRest(world))) return true;
  }
  return false;
}

async function isAtRest({ postgres, temporal }: World): Promise<boolean> {
  if (temporal.openWorkflows().length > 0) return false;
  const { rows } = await sql<{ open: number }>`select (select count(*) from open_tasks)::int
    + (select count(*) from outbox)::int + (select count(*) from leases where task_id is not null)::int
    + (select count(*) from webhook_deliveries where status = 'pending')::int as open`.execute(postgres.judge);
  return rows[0]?.open === 0;
}
