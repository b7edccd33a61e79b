import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { World } from './crash-world.ts';

const findSeconds = 40;
const tasksWanted = 2;

/**
 * Stops one worker after the other with SIGTERM while tasks render, as an upgrade does. Nothing is killed from before they began until they have ended, so
 * that only the stops can cost them an attempt. Returns false if too few tasks were rendering.
 */
export function drainWorker(world: World): Promise<boolean> {
  const { gate, history, supervisor } = world;
  return gate.alone(async () => {
    const uuids = await findRendering(world, new Date());
    if (uuids.length < tasksWanted) return false;
    history.drains.push({ at: Date.now(), taskIds: uuids.map(taskIdOf) });
    await supervisor.restart('worker');
    await waitForEnd(world, uuids);
    return true;
  });
}

/** Returns tasks in their first attempt that began after `since` and that the engine is rendering. */
async function findRendering(world: World, since: Date): Promise<string[]> {
  let found: { id: string }[] = [];
  const isFound = async (): Promise<boolean> => {
    found = await world.rows.query<{ id: string }>(
      `select tasks.id from tasks join live_entries on live_entries.task_id = tasks.id and live_entries.attempt = 1
       where status = 'in_progress' and tasks.attempt = 1 and tasks.stage <> 'finishing' and live_entries.stage = 'rendering'
         and started_at > $1`,
      [since],
    );
    return found.length >= tasksWanted;
  };
  // oxlint-disable-next-line kinora/no-time-judgement -- the crash proof, which is nightly, goes on without it
  await becomesTrueWithin(findSeconds * 1000, isFound, { signal: world.signal });
  return found.map(({ id }) => id);
}

async function waitForEnd(world: World, uuids: string[]): Promise<void> {
  const open = `select id from tasks where id = any($1::uuid[]) and status in ('queued', 'in_progress')`;
  const isEnded = async (): Promise<boolean> => (await world.rows.query(open, [uuids])).length === 0;
  await becomesTrueWithin(hangLimitMilliseconds, isEnded, { everyMilliseconds: 500, signal: world.signal });
}
