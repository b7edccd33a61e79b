import { connectTo } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';

const everyMilliseconds = 50;

export interface LockWatch {
  samples: number;
  /** How long any other backend has waited for a lock that `migrate` held or had asked for before it. */
  longestWaitMilliseconds: number;
}

/** Samples until `isOver` who waits behind `migrate`. */
export async function watchLocks(url: string, isOver: () => boolean): Promise<LockWatch> {
  await using client = await connectTo(url);
  const watch: LockWatch = { samples: 0, longestWaitMilliseconds: 0 };
  while (!isOver()) {
    const { rows } = await client.query<{ waited: number | null }>(
      `select max(extract(epoch from clock_timestamp() - waiting.waitstart))::float8 * 1000 as waited
      from pg_locks waiting join pg_stat_activity waiter using (pid)
      where not waiting.granted and waiter.application_name <> 'kinora-migrate' and exists (
        select from pg_stat_activity migrate
        where migrate.application_name = 'kinora-migrate' and migrate.pid = any(pg_blocking_pids(waiting.pid)))`,
    );
    watch.samples += 1;
    watch.longestWaitMilliseconds = Math.max(watch.longestWaitMilliseconds, rows[0]?.waited ?? 0);
    await pause(everyMilliseconds);
  }
  return watch;
}
