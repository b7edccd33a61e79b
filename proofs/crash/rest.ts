import { withWorkflows } from '../with-workflows.ts';
import { pause, type World } from './crash-world.ts';

type Resting = Pick<World, 'rows' | 'stack' | 'report' | 'signal'>;

/** Waits until all work is finished, or until the time limit; the checker objects to what is left then. */
export async function comeToRest(world: Resting, limitSeconds: number): Promise<void> {
  const deadline = Date.now() + limitSeconds * 1000;
  for (;;) {
    const left = await countLeft(world);
    if (Object.values(left).every((count) => count === 0)) return;
    if (Date.now() > deadline) {
      world.report(`unfinished at the time limit: ${JSON.stringify(left)}`);
      return;
    }
    await pause(world, 1);
  }
}

async function countLeft(world: Resting): Promise<Record<string, number>> {
  const [rows] = await world.rows.query<Record<string, number>>(
    `select (select count(*)::int from tasks where status in ('queued', 'in_progress')) as tasks,
            (select count(*)::int from leases where task_id is not null) as leases,
            (select count(*)::int from outbox) as outbox,
            (select coalesce(sum(running + waiting), 0)::int from project_slots) as slots`,
  );
  return { ...rows, workflows: (await countWorkflows(world)).running };
}

/** Counts the workflows that are running, and those that failed, which none should ever do. */
export function countWorkflows({ stack }: Pick<World, 'stack'>): Promise<{ running: number; failed: number }> {
  return withWorkflows(stack, async (workflow) => {
    const count = async (status: string) => (await workflow.count(`ExecutionStatus = '${status}'`)).count;
    return { running: await count('Running'), failed: (await count('Failed')) + (await count('TimedOut')) };
  });
}
