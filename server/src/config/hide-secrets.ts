import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { secretNames } from './config.ts';

/** Secrets that libraries read from the environment themselves. */
const secretsOfLibraries = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'PGPASSWORD',
];
/** Says that standard input is the file with the secrets. */
const marker = 'KINORA_SECRETS_ON_STDIN';
const standardInput = 0;
/** Node does not name this flag of Linux: a file without a name, which is gone once it is closed. */
const unnamedFile = 0o20000000 | constants.O_DIRECTORY;

/**
 * Starts a role again without the secrets in its environment, because /proc/PID/environ shows the environment of the
 * start for as long as the process runs. The process keeps its id. In between, the secrets are in a file in memory that
 * has no name and that only this process has open. Libraries read some of them from `process.env`, so they return there.
 */
export function hideSecrets(): void {
  if (process.env[marker] !== undefined) return restoreSecrets();
  if (process.argv[2] !== 'start' || process.env['KINORA_ENV'] === 'development') return;
  const names = [...secretNames, ...secretsOfLibraries].filter((name) => process.env[name]);
  if (names.length === 0) return;
  const secrets = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const others = Object.entries(process.env).filter(([name]) => !names.includes(name));
  openMemoryFile();
  writeSync(standardInput, JSON.stringify(secrets), 0);
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, args, { ...Object.fromEntries(others), [marker]: 'true' });
}

function restoreSecrets(): void {
  delete process.env[marker];
  Object.assign(process.env, JSON.parse(readFileSync(standardInput, 'utf8')));
  openAsStandardInput('/dev/null', constants.O_RDONLY);
}

function openMemoryFile(): void {
  try {
    openAsStandardInput('/dev/shm', unnamedFile | constants.O_RDWR);
  } catch (error) {
    const message = 'The secrets in the environment cannot be hidden without /dev/shm. Give them as files: NAME_FILE.';
    throw new Error(message, { cause: error });
  }
}

/** Only the three standard streams stay open across execve, and a role reads nothing from its standard input. */
function openAsStandardInput(path: string, flags: number): void {
  closeSync(standardInput);
  // Linux gives a new file the lowest number that is free.
  if (openSync(path, flags, 0o600) !== standardInput) throw new Error('standard input could not be replaced');
}
