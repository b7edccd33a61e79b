import type { Command } from 'commander';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { repeatTask } from '../operations/tasks/repeat-task.ts';
import { withFoundation } from './with-foundation.ts';

export function addTaskCommands(program: Command): void {
  const tasks = program.command('tasks').description('show, cancel and retry tasks');

  tasks
    .command('show')
    .argument('<task-id>')
    .description('print a task with its attempts and the state of its workflow, without its prompt')
    .action((taskId: string) =>
      withFoundation(async ({ db, workflows }) => {
        const task = uuidFromId('task', taskId) === null ? null : await db.tasks.find(taskId);
        if (!task) throw new AppError('task_not_found');
        // An operator does not need to read what the caller wrote; the message of a warning may quote it.
        const { prompt: _prompt, negativePrompt: _negativePrompt, metadata: _metadata, ...shown } = task;
        const warnings = task.warnings.map(({ code, param }) => ({ code, param }));
        const workflow = await workflows.state(taskId).catch(() => 'unknown: Temporal does not respond');
        console.log(
          JSON.stringify({ ...shown, warnings, attempts: await db.attempts.list(taskId), workflow }, null, 2),
        );
      }),
    );

  tasks
    .command('cancel')
    .argument('<task-id...>')
    .description('cancel active tasks')
    .action((taskIds: string[]) =>
      withFoundation(async (foundation) => {
        for (const taskId of taskIds) {
          const task = await cancelTask(foundation, taskId);
          console.log(`${task.id} is ${task.status}.`);
        }
      }),
    );

  tasks
    .command('retry')
    .argument('<task-id>')
    .description('create a new task from the same request; the old one stays as it ended')
    .action((taskId: string) =>
      withFoundation(async (foundation) => {
        const task = await repeatTask(foundation, taskId);
        console.log(JSON.stringify({ task_id: task.id, status: task.status }));
      }),
    );
}
