import { taskIdOf } from '@kinora/stack/harness/task-id';
import { pause, type World } from './world.ts';

const findSeconds = 40;
const endSeconds = 120;
const tasksWanted = 2;

/**
 * Asks the worker to stop while tasks render, with nothing else being killed from before they began until they have ended: then
 * nothing but the stop can cost them an attempt. False when too few tasks were rendering.
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

/** Tasks in their first attempt that began after `since` and are with the engine. */
async function findRendering(world: World, since: Date): Promise<string[]> {
  const deadline = Date.now() + findSeconds * 1000;
  for (;;) {
    const found = await world.rows.query<{ id: string }>(
      `select tasks.id from tasks join live_entries on live_entries.task_id = tasks.id and live_entries.attempt = 1
       where status = 'in_progress' and tasks.attempt = 1 and tasks.stage <> 'finishing' and live_entries.stage = 'rendering'
         and started_at > $1`,
      [since],
    );
    if (found.length >= tasksWanted || Date.now() > deadline) return found.map((row) => row.id);
    await pause(world, 0.1);
  }
}

async function waitForEnd(world: World, uuids: string[]): Promise<void> {
  const deadline = Date.now() + endSeconds * 1000;
  while (Date.now() < deadline) {
    const open = await world.rows.query(
      `select id from tasks where id = any($1::uuid[]) and status in ('queued', 'in_progress')`,
      [uuids],
    );
    if (open.length === 0) return;
    await pause(world, 0.5);
  }
}
