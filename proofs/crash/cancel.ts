import { pause, type World } from './crash-world.ts';

const tries = 20;
let queue: Promise<unknown> = Promise.resolve();

/** Cancels a task with the operator's command, one at a time because each command is a process. */
export function cancelTask(world: World, taskId: string): Promise<void> {
  const turn = queue.then(() => cancel(world, taskId));
  queue = turn.catch(() => undefined);
  return turn;
}

async function cancel(world: World, taskId: string): Promise<void> {
  const { installation, history } = world;
  // Recorded first, because a kill may hide that the cancel succeeded.
  const record = { taskId, isConfirmed: false };
  history.cancels.push(record);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      const output = await installation.command('tasks', 'cancel', taskId);
      record.isConfirmed = output.includes(`${taskId} is cancelled`);
      return;
    } catch (error) {
      if (error instanceof Error && error.message.includes('has already ended')) return;
      await pause(world, 0.5);
    }
  }
  throw new Error(`${taskId} could not be cancelled in ${tries} tries`);
}
