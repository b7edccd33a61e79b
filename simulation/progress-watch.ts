import { sql } from 'kysely';
import type { World } from './world.ts';

/** How long a pool may have waiting tasks, free slots, and start none of them. */
const patienceMilliseconds = 120_000;

/** Looks for pools that stand still although they are served, have free slots, and tasks wait that may run. */
export class ProgressWatch {
  readonly #world: World;
  readonly #still = new Map<string, { since: number; submitted: number }>();
  readonly #reported = new Set<string>();
  readonly objections: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  async look(): Promise<void> {
    const { scheduler, postgres, engines, pools } = this.#world;
    // An endpoint whose breaker is tripped does not accept jobs.
    const { rows } = await sql<{ pool: string }>`
      select distinct t.pool from tasks t join project_slots s using (project_id, livemode)
      where t.status = 'queued' and (t.admitted_at is not null or s.running < s.cap)
        and exists (select from endpoint_states e where e.pool = t.pool and e.is_open)`.execute(postgres.judge);
    const waiting = new Set(rows.map(({ pool }) => pool));
    for (const pool of pools) {
      const ours = [...engines.values()].filter((one) => one.pool === pool).map(({ engine }) => engine);
      const submitted = ours.reduce((sum, engine) => sum + engine.submitted.length, 0);
      const isFree = ours.some((engine) => engine.isUp && engine.busy() < engine.slots);
      const before = this.#still.get(pool);
      if (!isFree || !waiting.has(pool)) this.#still.delete(pool);
      else if (before?.submitted !== submitted) this.#still.set(pool, { since: scheduler.milliseconds, submitted });
      else if (scheduler.milliseconds - before.since > patienceMilliseconds && !this.#reported.has(pool)) {
        this.#reported.add(pool);
        this.objections.push(`pool ${pool} starts nothing, although it has free slots and tasks wait`);
      }
    }
  }
}
