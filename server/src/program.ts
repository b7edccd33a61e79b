import { UnsafeMachine } from '@kinora/boxes/unsafe-machine';
import { SettingsError } from '@kinora/settings/read-settings';
import { Command } from 'commander';
import { addAccessCommands } from './commands/access-commands.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { addDoctorCommand } from './commands/doctor/doctor-command.ts';
import { createSharedDoctor } from './commands/doctor/shared-doctor.ts';
import { addEngineCommands } from './commands/engine-commands.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addMaintenanceCommands } from './commands/maintenance-commands.ts';
import { addNamespaceCommands } from './commands/namespace-commands.ts';
import { addOutboundCommands } from './commands/outbound-commands.ts';
import { addPeopleCommands } from './commands/people-commands.ts';
import { addPlanCommand } from './commands/plan-command.ts';
import { addProjectCommands } from './commands/project-commands.ts';
import { addRoleCommands } from './commands/role-commands.ts';
import { addSecretCommands } from './commands/secret-commands.ts';
import { addSweepCommands } from './commands/sweep-commands.ts';
import { addTaskCommands } from './commands/task-commands.ts';
import { ownEnvironment, readConfig } from './config/config.ts';
import { AppError } from './errors.ts';
import { exitWhenStuck } from './telemetry/exit-when-stuck.ts';
import { createLog } from './telemetry/log.ts';
import { logSeconds } from './telemetry/log-seconds.ts';
import { type Role, roles, startRoles } from './wiring/start-roles.ts';

/** How long a graceful shutdown may take. */
const stopMilliseconds = 60_000;

/** Runs the program according to its command line. */
export function runProgram(): void {
  const program = createProgram();
  addDoctorCommand(program);
  addPlanCommand(program);
  addMaintenanceCommands(program);
  addNamespaceCommands(program);
  addSweepCommands(program);
  addProjectCommands(program);
  addPeopleCommands(program);
  addKeyCommands(program);
  addTaskCommands(program);
  addRoleCommands(program);
  addEngineCommands(program);
  addOutboundCommands(program);
  addAccessCommands(program);
  addAuditCommands(program);
  addSecretCommands(program);
  program.parseAsync().catch(fail);
}

function createProgram(): Command {
  const program = new Command('kinora-server')
    .description(
      'Kinora: one HTTP API in front of any video model. Settings come from the environment, see .env.example.',
    )
    .showHelpAfterError();

  program
    .command('start')
    .description(
      'run the service with all roles in one process, or with the given roles; engines are separate programs',
    )
    .option('--roles <names>', `comma-separated roles: ${roles.join(', ')}`, roles.join(','))
    .action(async (options: { roles: string }) => {
      const requested = options.roles.split(',').map(readRole);
      const started = await start(requested).catch((error: unknown) => failStart(error, requested));
      const { log } = started;
      exitWhenStuck();
      // The first signal starts a graceful shutdown; a second Ctrl-C exits at once.
      let isStopping = false;
      const stop = (signal: NodeJS.Signals): void => {
        if (isStopping) return;
        isStopping = true;
        const stoppingAt = performance.now();
        log.info({ event: 'process.stopping', signal }, 'shutdown started');
        // A download may take arbitrarily long: the process then exits without it.
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

  return program;
}

function readRole(name: string): Role {
  const role = roles.find((candidate) => candidate === name.trim());
  if (role === undefined)
    throw new AppError('invalid_parameter', {
      message:
        name.trim() === 'animatic'
          ? 'The animatic is a separate program: start kinora-animatic alongside kinora-server.'
          : `Unknown role ${name}. Known roles: ${roles.join(', ')}.`,
    });
  return role;
}

/** Starts the roles. It is async so that a settings error rejects instead of throwing. */
async function start(requested: readonly Role[]): ReturnType<typeof startRoles> {
  return startRoles(readConfig(), requested, createSharedDoctor(ownEnvironment()));
}

/** Logs a failed start, as a supervisor may store only the log, and prints it. Uses no settings: they may be wrong. */
function failStart(error: unknown, requested: readonly Role[]): never {
  const err = isExpected(error) ? error.message : error;
  createLog({ level: 'info', roles: requested }).fatal({ event: 'process.failed', err }, 'start failed');
  fail(error);
}

function isExpected(error: unknown): error is SettingsError | AppError | UnsafeMachine {
  return error instanceof SettingsError || error instanceof AppError || error instanceof UnsafeMachine;
}

function fail(error: unknown): never {
  // For an expected error the operator needs the message only; an unexpected one is printed with its stack.
  const isPortTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
  if (isPortTaken)
    console.error(
      `Port ${String(error.port)} is taken by another program. Stop it, or set another port in the environment.`,
    );
  else console.error(isExpected(error) ? error.message : error);
  process.exit(1);
}
