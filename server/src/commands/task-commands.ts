import type { Command } from 'commander';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { deleteTask } from '../operations/tasks/delete-task.ts';
import { repeatTask } from '../operations/tasks/repeat-task.ts';
import { revealTask } from '../operations/tasks/reveal-task.ts';
import { wireTaskLinks } from '../wiring/wire-task-links.ts';
import { operatorOf } from './operator-of.ts';
import { withFoundation } from './with-foundation.ts';

export function addTaskCommands(program: Command): void {
  const tasks = program.command('tasks').description('show, cancel, retry, delete and reveal tasks');

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
    .action((taskIds: string[], _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        for (const taskId of taskIds) {
          const task = await cancelTask(foundation, taskId, operatorOf(command));
          console.log(`${task.id} is ${task.status}.`);
        }
      }),
    );

  tasks
    .command('retry')
    .argument('<task-id>')
    .description('create a new task from the same request; the old one stays unchanged')
    .action((taskId: string, _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        const task = await repeatTask(foundation, operatorOf(command), taskId);
        console.log(JSON.stringify({ task_id: task.id, status: task.status }));
      }),
    );
  tasks
    .command('delete')
    .argument('<task-id...>')
    .description('cancel active tasks, and erase the texts and files of all of them; usage still counts them')
    .action((taskIds: string[], _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        for (const taskId of taskIds) {
          try {
            await deleteTask(foundation, operatorOf(command), taskId);
            console.log(`${taskId} is deleted.`);
          } catch (error) {
            // A wrong id must not keep the tasks after it from being taken down.
            if (!(error instanceof AppError)) throw error;
            console.error(`${taskId}: ${error.message}`);
            process.exitCode = 1;
          }
        }
      }),
    );

  tasks
    .command('reveal')
    .argument('<task-id>')
    .description(
      'print what the caller of a task wrote, and a link to its video; the audit log records who looked and why',
    )
    .requiredOption('--reason <text>', 'why you need to see it, such as the number of a report')
    .action((taskId: string, { reason }: { reason: string }, command: Command) =>
      withFoundation(async (foundation) => {
        const task = await revealTask(foundation, operatorOf(command), { taskId, reason });
        const { projectId, livemode, keyId, status, prompt, negativePrompt, metadata } = task;
        const { files } = await wireTaskLinks(foundation).links(task);
        const shown = { taskId, projectId, livemode, keyId, status, prompt, negativePrompt, metadata };
        // A suspended project's links are refused; the object can still be read from the store.
        const video =
          task.status === 'completed' ? { url: files?.videoUrl ?? null, objectKey: task.video.objectKey } : null;
        console.log(JSON.stringify({ ...shown, video }, null, 2));
      }),
    );
}
