import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { findFreePorts } from '../parts/free-port.ts';
import { lastLines, type ManagedProcess, startProcess } from '../parts/processes.ts';
import type { Stack } from '../parts/stack.ts';
import { eventOf } from './log-lines.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** The programs' entry points: those of the build in TEST_BUILD, as in the gate, or else the sources. */
const programs = programsOf(process.env['TEST_BUILD'] || undefined);
export const serverPath = programs.server;

export const roleNames = ['animatic', 'worker', 'relay', 'api', 'console'] as const;
export type RoleName = (typeof roleNames)[number];

/** What callers of the API need. Few tests use the console. */
export const usualRoles = ['animatic', 'worker', 'relay', 'api'] as const satisfies readonly RoleName[];
export type UsualRole = (typeof usualRoles)[number];

/** The limits that `kinora-server projects set` sets; creates and reads are per minute. */
interface ProjectLimits {
  running?: number;
  waiting?: number;
  creates?: number;
  reads?: number;
}

/**
 * A whole Kinora installation on a stack, with a project and its keys. Each role of the server and the animatic runs as
 * a process of its own, as in production. A role can run as several copies, counted from 0; calls mean the first one
 * unless they name another.
 */
export interface Installation extends AsyncDisposable {
  url: string;
  consoleUrl: string;
  projectId: string;
  testKey: string;
  liveKey: string;
  environment: Record<string, string>;
  process(role: RoleName, copy?: number): ManagedProcess | null;
  /** Starts a role and waits until it is ready. */
  start(role: RoleName, environment?: Record<string, string>, copy?: number): Promise<ManagedProcess>;
  /** Sends a signal and waits until the process has exited. */
  stop(role: RoleName, signal?: NodeJS.Signals, copy?: number): Promise<void>;
  /** Lets commands, and roles that start from now on, be those of another build. */
  use(build: string): void;
  /** Runs `kinora-server` with these arguments and returns what it printed. */
  command(...args: string[]): Promise<string>;
  /** Changes these limits of the seeded project, or of another one. */
  setLimits(limits: ProjectLimits, projectId?: string): Promise<void>;
  logPath(role: RoleName, copy?: number): string;
  /** Stops all roles, but not the stack: the caller who started it stops it. */
  close(): Promise<void>;
}

interface InstallationOptions {
  stack: Stack;
  /** These override the stack's own variables. */
  environment?: Record<string, string>;
  /** Limits of the seeded project; the others stay as `projects create` sets them. */
  limits?: ProjectLimits;
  /** Ports on 127.0.0.1 that the service may use over http; by default, production refuses address, ports and http. */
  loopbackPorts?: readonly number[];
  ports?: { api: number; animatic: number; private: number; console?: number };
  /** The folder of a build (`npm run build`) to run instead of `programs`. */
  build?: string;
  /** The roles to start; by default all but the console. */
  roles?: readonly RoleName[];
  /** How many processes to start of a role; one by default. */
  copies?: Partial<Record<RoleName, number>>;
  /**
   * Variables of one copy of a role at each start, such as the address of a proxy in front of Postgres. Each copy of the
   * API and of the animatic needs a port of its own.
   */
  environmentOf?: (role: RoleName, copy: number) => Record<string, string>;
  onProgress?: (line: string) => void;
  /** A project and keys that an earlier run made on the same stack. */
  seed?: { projectId: string; liveKey: string; testKey: string };
  onLine?: (role: RoleName, line: string, copy: number) => void;
  /** Called if a role that was ready exits without having been stopped. */
  onEnd?: (role: RoleName, copy: number) => void;
}

function programsOf(build: string | undefined): Record<'server' | 'animatic', string> {
  if (build !== undefined) return { server: join(build, 'main.js'), animatic: join(build, 'animatic.js') };
  return { server: join(root, 'server/src/main.ts'), animatic: join(root, 'animatic/src/main.ts') };
}

/** Runs `kinora-server` and returns what it printed; rejects with its stderr in the message if it fails. */
export function runCommand(environment: Record<string, string>, ...args: string[]): Promise<string> {
  return runProgram(serverPath, environment, args);
}

async function runProgram(path: string, environment: Record<string, string>, args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [path, ...args], { env: { ...process.env, ...environment } });
  return stdout.trim();
}

/** Migrates, seeds a project with a live and a test key, and starts every role, by default in production mode. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { stack, build, onProgress } = options;
  let current = build === undefined ? programs : programsOf(build);
  const ports = options.ports ?? (await freeRolePorts());
  const consolePort = ports.console ?? (await findFreePorts(1));
  const url = `http://127.0.0.1:${ports.api}`;
  const consoleUrl = `http://127.0.0.1:${consolePort}`;
  const environment: Record<string, string> = {
    // Tests start roles many times; a cache of compiled code halves the time of each start.
    NODE_COMPILE_CACHE: join(stack.info.folder, '..', 'compile-cache'),
    KINORA_ENV: 'production',
    // No load balancer has to notice that the API stops.
    KINORA_DRAIN_SECONDS: '0',
    KINORA_PUBLIC_URL: url,
    KINORA_PORT: String(ports.api),
    KINORA_CONSOLE_URL: consoleUrl,
    KINORA_CONSOLE_PORT: String(consolePort),
    KINORA_PRIVATE_PORT: String(ports.private),
    KINORA_ENGINE_CALLBACK_URL: `http://127.0.0.1:${ports.private}`,
    KINORA_ANIMATIC_PORT: String(ports.animatic),
    KINORA_ANIMATIC_URL: `http://127.0.0.1:${ports.animatic}`,
    KINORA_SCRATCH_FOLDER: join(stack.info.folder, 'scratch'),
    ...stack.environment,
    ...loopbackExceptions(options.loopbackPorts ?? []),
    ...options.environment,
  };
  // In development the server uses a fixed secret key, the same at every start.
  if (environment['KINORA_ENV'] === 'production')
    environment['KINORA_SECRET_KEYS'] ??= randomBytes(32).toString('base64');
  const running = new Map<string, ManagedProcess>();
  const stopping = new Set<ManagedProcess>();
  const logPath = (role: RoleName, copy = 0): string => join(stack.info.folder, `${nameOf(role, copy)}.log`);

  const command = (...args: string[]): Promise<string> => runProgram(current.server, environment, args);

  const end = async (child: ManagedProcess, signal: NodeJS.Signals): Promise<void> => {
    stopping.add(child);
    child.kill(signal);
    await child.exited;
  };
  const start: Installation['start'] = async (role, extra = {}, copy = 0) => {
    const name = nameOf(role, copy);
    // Only one process can listen on the private port, and tests use the API's. The animatic has no private port.
    const privatePort = role === 'api' || role === 'animatic' ? {} : { KINORA_PRIVATE_PORT: '0' };
    let hasSaidReady = false;
    let lastSignAt = Date.now();
    const child = startProcess({
      name,
      command: process.execPath,
      arguments: role === 'animatic' ? [current.animatic] : [current.server, 'start', '--roles', role],
      environment: {
        ...(role === 'animatic' ? forAnimatic(environment) : environment),
        ...privatePort,
        ...options.environmentOf?.(role, copy),
        ...extra,
        ...(extra['KINORA_FAILPOINTS'] ? { KINORA_ENV: 'development' } : {}), // production refuses failpoints
      },
      logPath: logPath(role, copy),
      onLine: (line) => {
        lastSignAt = Date.now();
        if (!hasSaidReady && eventOf(line) === readyEvent[role]) hasSaidReady = true;
        options.onLine?.(role, line, copy);
      },
    });
    running.set(name, child);
    let hasExited = false;
    void child.exited.then(() => {
      hasExited = true;
      if (running.get(name) === child) running.delete(name);
      if (hasSaidReady && !stopping.has(child)) options.onEnd?.(role, copy);
    });
    // A role is ready when it logs that it works, which may take long on a slow machine: only a silent role hangs.
    while (!hasSaidReady) {
      // A failpoint may end the process as soon as it is ready: a caller that armed one waits for `exited`.
      if (hasExited && extra['KINORA_FAILPOINTS']) return child;
      if (hasExited) throw new Error(`${name} ended while it started:\n${lastLines(logPath(role, copy), 15)}`);
      if (Date.now() - lastSignAt > hangLimitMilliseconds) {
        await end(child, 'SIGKILL'); // A caller that starts the role again must not get two of it.
        throw new Error(`${name} is not ready and logs nothing more:\n${lastLines(logPath(role, copy), 15)}`);
      }
      await pause(25);
    }
    return child;
  };

  const stop: Installation['stop'] = async (role, signal = 'SIGTERM', copy = 0) => {
    const child = running.get(nameOf(role, copy));
    if (child) await end(child, signal);
  };

  onProgress?.('migrating');
  await command('migrate');
  const { projectId, liveKey, testKey } = options.seed ?? (await createSeed(command));
  const setLimits: Installation['setLimits'] = async (limits, id = projectId) => {
    const words = Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)]);
    await command('projects', 'set', id, ...words);
  };
  if (options.limits) await setLimits(options.limits);
  const roles = options.roles ?? usualRoles;
  if (roles.length > 0) onProgress?.(`starting ${roles.join(', ')}`);
  const close = async (): Promise<void> => {
    await Promise.all(Array.from(running.values(), (child) => end(child, 'SIGTERM')));
  };
  try {
    const copiesOf = (role: RoleName): number[] =>
      Array.from({ length: options.copies?.[role] ?? 1 }, (_, copy) => copy);
    await Promise.all(roles.flatMap((role) => copiesOf(role).map((copy) => start(role, {}, copy))));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    consoleUrl,
    projectId,
    testKey,
    liveKey,
    environment,
    process: (role, copy = 0) => running.get(nameOf(role, copy)) ?? null,
    start,
    stop,
    use: (other) => {
      current = programsOf(other);
    },
    command,
    setLimits,
    logPath,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function nameOf(role: RoleName, copy: number): string {
  return copy === 0 ? role : `${role}-${copy + 1}`;
}

function loopbackExceptions(ports: readonly number[]): Record<string, string> {
  if (ports.length === 0) return {};
  return {
    KINORA_OUTBOUND_ALLOW_HTTP: 'true',
    KINORA_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32',
    KINORA_OUTBOUND_ALLOWED_PORTS: ports.join(','),
  };
}

const namesOfAnimatic = /^(KINORA_ANIMATIC_|KINORA_LOG_LEVEL$|KINORA_SCRATCH_FOLDER$|NODE_)/;

/** Keeps only the settings that the animatic reads: it must work without the database, the store and every secret. */
function forAnimatic(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => namesOfAnimatic.test(name)));
}

const readyEvent: Record<RoleName, string> = {
  animatic: 'animatic.listening',
  worker: 'worker.polling',
  relay: 'relay.started',
  api: 'api.listening',
  console: 'console.listening',
};

async function createSeed(command: Installation['command']) {
  const projectId = readField(await command('projects', 'create', 'default'), 'id');
  const [liveKey, testKey] = await Promise.all(
    (['live', 'test'] as const).map(async (mode) => {
      const line = await command('keys', 'create', projectId, '--mode', mode, '--name', `first ${mode} key`);
      return readField(line, 'key');
    }),
  );
  if (!liveKey || !testKey) throw new Error('the seeded project has no keys');
  return { projectId, liveKey, testKey };
}

async function freeRolePorts(): Promise<NonNullable<InstallationOptions['ports']>> {
  const first = await findFreePorts(4);
  return { api: first, animatic: first + 1, private: first + 2, console: first + 3 };
}

function readField(line: string, name: string): string {
  const value = (JSON.parse(line) as Record<string, unknown>)[name];
  if (typeof value !== 'string') throw new Error(`the server's command printed no ${name}`);
  return value;
}
