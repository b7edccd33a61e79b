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
import { createLog } from './telemetry/log.ts';
import { logSeconds } from './telemetry/log-seconds.ts';
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
    const started = await start(asked).catch((error: unknown) => failStart(error, asked));
    const { log } = started;
    // The first signal hands over what is under way; whoever is impatient presses Ctrl-C once more.
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) return;
      isStopping = true;
      const stoppingAt = performance.now();
      log.info({ event: 'process.stopping', signal }, 'shutdown started');
      // A download can take for ever; whoever serves it has had its time.
      setTimeout(() => {
        log.error({ event: 'process.stop_timed_out', seconds: stopMilliseconds / 1000 }, 'shutdown timed out');
        process.exit(1);
      }, stopMilliseconds).unref();
      process.once('SIGINT', () => process.exit(1));
      started.close().then(
        () => {
          const seconds = logSeconds(performance.now() - stoppingAt);
          log.info({ event: 'process.stopped', seconds }, 'shutdown complete');
          process.exit(0);
        },
        (error: unknown) => {
          log.fatal({ event: 'process.failed', err: error }, 'shutdown failed');
          fail(error);
        },
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

/** Settings that cannot be read reject, too. */
async function start(asked: readonly Role[]): ReturnType<typeof startRoles> {
  return startRoles(readConfig(), asked);
}

/** A supervisor keeps only the log: besides the words for a person it gets a line. The settings may be what is wrong, so it needs none. */
function failStart(error: unknown, asked: readonly Role[]): never {
  const err = isForeseen(error) ? error.message : error;
  createLog({ level: 'info', roles: asked }).fatal({ event: 'process.failed', err }, 'start failed');
  fail(error);
}

function isForeseen(error: unknown): error is SettingsError | AppError {
  return error instanceof SettingsError || error instanceof AppError;
}

function fail(error: unknown): never {
  // A person reads this: what is wrong for what was foreseen, everything there is for what was not.
  const isTakenPort = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
  if (isTakenPort)
    console.error(
      `Port ${String(error.port)} is taken by another program. Stop it, or set another port in the environment.`,
    );
  else console.error(isForeseen(error) ? error.message : error);
  process.exit(1);
}
