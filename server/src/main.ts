#!/usr/bin/env node
import { SettingsError } from '@kinora/settings/read-settings';
import { Command } from 'commander';
import { addEngineCommands } from './commands/engine-commands.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addMaintenanceCommands } from './commands/maintenance-commands.ts';
import { addOutboundCommands } from './commands/outbound-commands.ts';
import { addProjectCommands } from './commands/project-commands.ts';
import { addTaskCommands } from './commands/task-commands.ts';
import { readConfig } from './config.ts';
import { AppError } from './errors.ts';
import { type Role, roles, startRoles } from './wiring/start-roles.ts';

const stopMilliseconds = 60_000;

const program = new Command('kinora-server')
  .description(
    'Kinora: one HTTP API in front of any video model. Settings come from the environment, see .env.example.',
  )
  .showHelpAfterError();

program
  .command('start')
  .description('run the service: all roles in one process, or the roles named. Engines are programs of their own.')
  .option('--roles <names>', `comma-separated, of ${roles.join(', ')}`, roles.join(','))
  .action(async (options: { roles: string }) => {
    const asked = options.roles.split(',').map(readRole);
    const started = await startRoles(readConfig(), asked);
    // The first signal hands over what is under way; whoever is impatient presses Ctrl-C once more.
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) return;
      isStopping = true;
      // A download can take for ever; whoever serves it has had its time.
      setTimeout(() => process.exit(1), stopMilliseconds).unref();
      process.once('SIGINT', () => process.exit(1));
      started.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    };
    process.once('SIGINT', stop);
    process.on('SIGTERM', stop);
  });

addMaintenanceCommands(program);
addProjectCommands(program);
addKeyCommands(program);
addTaskCommands(program);
addEngineCommands(program);
addOutboundCommands(program);

program.parseAsync().catch(fail);

function readRole(name: string): Role {
  const role = roles.find((candidate) => candidate === name.trim());
  if (role === undefined)
    throw new AppError('invalid_parameter', {
      message:
        name.trim() === 'animatic'
          ? 'The animatic is a program of its own: start kinora-animatic beside kinora-server.'
          : `There is no role ${name}; there are ${roles.join(', ')}.`,
    });
  return role;
}

function fail(error: unknown): never {
  // A person reads this: what is wrong for what was foreseen, everything there is for what was not.
  const isForeseen = error instanceof SettingsError || error instanceof AppError;
  const isTakenPort = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
  if (isTakenPort)
    console.error(
      `Port ${String(error.port)} is taken by another program. Stop it, or set another port in the environment.`,
    );
  else console.error(isForeseen ? error.message : error);
  process.exit(1);
}
