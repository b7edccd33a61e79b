import { type Command, Option } from 'commander';
import type { Project, ProjectSettings } from '../db/access/project-table.ts';
import { uuidFromId } from '../domain/id.ts';
import { pickShard } from '../domain/shard.ts';
import { AppError } from '../errors.ts';
import { createProject } from '../operations/projects/create-project.ts';
import { ensureProject } from '../operations/projects/ensure-project.ts';
import { purgeProject } from '../operations/projects/purge-project.ts';
import { cancelProjectTasks, setProject } from '../operations/projects/set-project.ts';
import { operatorOf } from './operator-of.ts';
import { readPositiveNumber, readWholeNumber } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

interface SetOptions {
  running?: number;
  waiting?: number;
  creates?: number;
  reads?: number;
  storage?: number;
  files?: number;
  weight?: number;
  suspend?: boolean;
  resume?: boolean;
  cancel?: boolean;
}

export function addProjectCommands(program: Command): void {
  const projects = program.command('projects').description('create, list, change and purge projects');

  projects
    .command('create')
    .argument('<name>')
    .description('create a project; `keys create` creates its keys')
    .action((name: string, _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        const shard = pickShard(foundation.config.KINORA_SHARDS);
        print(await createProject(foundation, operatorOf(command), name, shard));
      }),
    );

  projects
    .command('ensure')
    .argument('<name>')
    .description('create a project with this key, unless the key exists; safe to repeat, for installers')
    // Any user of the machine can read the arguments of a process.
    .addOption(new Option('--key <key>', 'the text of the key').env('FIRST_KEY').makeOptionMandatory())
    .action((name: string, { key }: { key: string }, command: Command) =>
      withFoundation(async ({ db, clock, config }) => {
        const dependencies = { db, clock, shards: config.KINORA_SHARDS };
        const { projectId, isNew } = await ensureProject(dependencies, operatorOf(command), { name, key });
        console.log(isNew ? `${projectId} now has the key.` : `${projectId} already has the key.`);
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
            .map(({ projectId: _projectId, livemode, ...used }) => ({ mode: livemode ? 'live' : 'test', ...used }));
          print({ ...project, use });
        }
      }),
    );

  projects
    .command('set')
    .argument('<project-id>')
    .description('change the limits of a project; other limits stay unchanged')
    .option('--running <tasks>', 'tasks that can run at once', readWholeNumber)
    .option('--waiting <tasks>', 'tasks that can wait', readWholeNumber)
    .option('--creates <per-minute>', 'creates per minute', readPositiveNumber)
    .option(
      '--reads <per-minute>',
      'reads per minute for each key; ten times as many for all keys together',
      readPositiveNumber,
    )
    .option(
      '--storage <gigabytes>',
      'storage limit in gigabytes, for uploaded files and files of tasks',
      readPositiveNumber,
    )
    .option('--files <files>', 'uploaded files that can be stored at once', readWholeNumber)
    .option('--weight <weight>', 'share of the engines relative to other projects', readPositiveNumber)
    .option('--suspend', 'refuse requests and start no more tasks; running ones end normally')
    .option('--resume', 'end a suspension')
    .option('--cancel', 'with --suspend: cancel all waiting and running tasks')
    .action((projectId: string, options: SetOptions, command: Command) =>
      withFoundation(async (foundation) => {
        if (options.cancel && !options.suspend)
          throw new AppError('invalid_parameter', { message: '--cancel requires --suspend.' });
        const operator = operatorOf(command);
        const project = isProjectId(projectId)
          ? await setProject(foundation, operator, projectId, settingsOf(options))
          : null;
        if (!project) throw new AppError('not_found', { message: `Project ${projectId} not found.` });
        print(project);
        if (options.cancel) console.log(`${await cancelProjectTasks(foundation, operator, projectId)} tasks cancelled`);
      }),
    );

  projects
    .command('purge')
    .argument('<project-id>')
    .description('suspend a project for good, and erase its tasks, uploaded files, webhook endpoints and keys')
    .option('--yes', 'confirm that nothing can be restored', false)
    .action((projectId: string, options: { yes: boolean }, command: Command) =>
      withFoundation(async (foundation) => {
        const project = isProjectId(projectId) ? await foundation.db.projects.find(projectId) : null;
        if (!project) throw new AppError('not_found', { message: `Project ${projectId} not found.` });
        if (!options.yes) {
          const message = `This permanently erases all content of ${projectId} (${project.name}). Repeat the command with --yes.`;
          throw new AppError('invalid_parameter', { message });
        }
        console.log(JSON.stringify(await purgeProject(foundation, operatorOf(command), projectId)));
      }),
    );
}

export function isProjectId(text: string): boolean {
  return uuidFromId('proj', text) !== null;
}

function settingsOf(options: SetOptions): ProjectSettings {
  const { running, waiting, creates, reads, storage, files, weight, suspend, resume } = options;
  return {
    ...(running === undefined ? {} : { runningLimit: running }),
    ...(waiting === undefined ? {} : { waitingLimit: waiting }),
    ...(creates === undefined ? {} : { createsPerMinute: creates }),
    ...(reads === undefined ? {} : { readsPerMinute: reads }),
    ...(storage === undefined ? {} : { storageLimitBytes: Math.round(storage * 1e9) }),
    ...(files === undefined ? {} : { filesLimit: files }),
    ...(weight === undefined ? {} : { weight }),
    ...(suspend ? { isSuspended: true } : resume ? { isSuspended: false } : {}),
  };
}

function print(project: Project | (Project & { use: unknown })): void {
  console.log(JSON.stringify(project));
}
