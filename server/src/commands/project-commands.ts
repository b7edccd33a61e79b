import type { Command } from 'commander';
import type { Project, ProjectSettings } from '../db/projects.ts';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import { cancelProjectTasks, setProject } from '../operations/projects/set-project.ts';
import { readPositiveNumber, readWholeNumber } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

interface SetOptions {
  running?: number;
  waiting?: number;
  creates?: number;
  reads?: number;
  weight?: number;
  suspend?: boolean;
  resume?: boolean;
  cancel?: boolean;
}

export function addProjectCommands(program: Command): void {
  const projects = program.command('projects').description('create, list and change projects');

  projects
    .command('create')
    .argument('<name>')
    .description('create a project; `keys create` creates its keys')
    .action((name: string) =>
      withFoundation(async ({ db, clock }) => {
        print(await db.transaction((tables) => tables.projects.insert(name, clock.now())));
      }),
    );

  projects
    .command('list')
    .description('list all projects with their limits and current use')
    .action(() =>
      withFoundation(async ({ db }) => {
        const slots = await db.projectSlots.list();
        for (const project of await db.projects.list()) {
          const use = slots
            .filter((row) => row.projectId === project.id)
            .map(({ livemode, running, waiting }) => ({ mode: livemode ? 'live' : 'test', running, waiting }));
          print({ ...project, use });
        }
      }),
    );

  projects
    .command('set')
    .argument('<project-id>')
    .description('change the limits of a project; those that are not given stay as they are')
    .option('--running <tasks>', 'tasks that may run at once', readWholeNumber)
    .option('--waiting <tasks>', 'tasks that may wait', readWholeNumber)
    .option('--creates <per-minute>', 'creates per minute', readPositiveNumber)
    .option('--reads <per-minute>', 'reads per minute for each key', readPositiveNumber)
    .option('--weight <weight>', 'share of the engines relative to other projects', readPositiveNumber)
    .option('--suspend', 'refuse requests and start no more tasks; running ones end normally')
    .option('--resume', 'end a suspension')
    .option('--cancel', 'with --suspend: cancel all waiting and running tasks')
    .action((projectId: string, options: SetOptions) =>
      withFoundation(async (foundation) => {
        if (options.cancel && !options.suspend)
          throw new AppError('invalid_parameter', { message: '--cancel requires --suspend.' });
        const project = isProjectId(projectId) ? await setProject(foundation, projectId, settingsOf(options)) : null;
        if (!project) throw new AppError('not_found', { message: `There is no project ${projectId}.` });
        print(project);
        if (options.cancel) console.log(`${await cancelProjectTasks(foundation, projectId)} tasks cancelled`);
      }),
    );
}

export function isProjectId(text: string): boolean {
  return uuidFromId('proj', text) !== null;
}

function settingsOf({ running, waiting, creates, reads, weight, suspend, resume }: SetOptions): ProjectSettings {
  return {
    ...(running === undefined ? {} : { runningLimit: running }),
    ...(waiting === undefined ? {} : { waitingLimit: waiting }),
    ...(creates === undefined ? {} : { createsPerMinute: creates }),
    ...(reads === undefined ? {} : { readsPerMinute: reads }),
    ...(weight === undefined ? {} : { weight }),
    ...(suspend ? { isSuspended: true } : resume ? { isSuspended: false } : {}),
  };
}

function print(project: Project | (Project & { use: unknown })): void {
  console.log(JSON.stringify(project));
}
