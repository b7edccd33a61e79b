import { execFile } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, type RoleName, roleNames, startInstallation } from '@kinora/stack/harness/installation';
import { isPortFree } from '@kinora/stack/parts/free-port';
import { startStack } from '@kinora/stack/parts/stack';
import { tryLock } from '@kinora/stack/parts/stack-lock';

/** The setting that chooses the port of each role, and the port if it is not set. */
const portSettings = {
  api: ['KINORA_PORT', 8080],
  console: ['KINORA_CONSOLE_PORT', 8081],
  animatic: ['KINORA_ANIMATIC_PORT', 8090],
  private: ['KINORA_PRIVATE_PORT', 9090],
} as const;
const devFile = join('.stack', 'dev.json');
const sourceFolders = ['server', 'animatic', 'boxes', 'settings'].map((name) =>
  join(import.meta.dirname, '..', name, 'src'),
);

try {
  await develop();
} catch (error) {
  console.error(`dev: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function develop(): Promise<void> {
  // The kernel releases the lock when this process ends.
  if (!(await tryLock('dev-command')))
    throw new Error('another `npm run dev` is running in this clone. Stop it first.');
  const ports = await choosePorts();
  const [starting, building] = await Promise.allSettled([startStack({ name: 'dev', onProgress: say }), buildConsole()]);
  if (starting.status === 'rejected') throw starting.reason;
  const stack = starting.value;
  if (building.status === 'rejected') {
    await stack.down();
    throw building.reason;
  }
  const { projectId, liveKey, testKey } = readSeed();
  const installation = await startInstallation({
    stack,
    ports,
    roles: roleNames,
    environment: { KINORA_ENV: 'development', KINORA_LOG_LEVEL: process.env['KINORA_LOG_LEVEL'] ?? 'info' },
    ...(projectId && liveKey && testKey ? { seed: { projectId, liveKey, testKey } } : {}),
    onProgress: say,
    onLine: (role, line) => console.log(`${role.padEnd(8)} ${readable(line)}`),
    onEnd: (role) =>
      console.error(
        `dev: ${role} exited unexpectedly; its log is ${installation.logPath(role)}. It restarts when a file changes.`,
      ),
  });
  writeFileSync(devFile, `${JSON.stringify(seedOf(installation), null, 2)}\n`, { mode: 0o600 });
  stack.onDeath((part) =>
    console.error(`dev: ${part} died; its log is in ${stack.info.folder}. Press Ctrl-C and run this again.`),
  );
  // Fails if there is an operator.
  const operatorLink = await installation.command('people', 'first-operator').catch(() => null);
  console.log(greeting(installation, operatorLink));
  const watcher = restartOnChange(installation);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  say('stopping');
  await watcher.close();
  await installation.close();
  await stack.down();
  process.exit(0);
}

/** A port that the developer chose is used, or refused by the role; a usual one that is taken is replaced by the next. */
async function choosePorts(): Promise<Record<keyof typeof portSettings, number>> {
  const wanted = (role: keyof typeof portSettings): number => {
    const [setting, usual] = portSettings[role];
    return Number(process.env[setting] || usual);
  };
  const ports = {
    api: wanted('api'),
    console: wanted('console'),
    animatic: wanted('animatic'),
    private: wanted('private'),
  };
  const roles = Object.keys(ports) as (keyof typeof ports)[];
  for (const role of roles) {
    const [setting, usual] = portSettings[role];
    if (process.env[setting]) continue;
    const isTaken = (port: number): boolean => roles.some((other) => other !== role && ports[other] === port);
    while (isTaken(ports[role]) || !(await isPortFree(ports[role]))) ports[role] += 1;
    if (ports[role] !== usual) say(`port ${usual} is taken; ${role} uses ${ports[role]} (${setting} chooses another)`);
  }
  return ports;
}

async function buildConsole(): Promise<void> {
  const startedAt = performance.now();
  await promisify(execFile)('vite', ['build', 'console', '--logLevel', 'warn']);
  say(`console built (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

function say(line: string): void {
  console.log(`dev: ${line}`);
}

interface Seed {
  url: string;
  consoleUrl: string;
  testKey: string;
  liveKey: string;
  projectId: string;
}

function seedOf({ url, consoleUrl, testKey, liveKey, projectId }: Installation): Seed {
  return { url, consoleUrl, testKey, liveKey, projectId };
}

/** Reads the keys of the last run. They work as long as the stack's data exists, so an app can keep its key. */
function readSeed(): Partial<Seed> {
  return existsSync(devFile) ? (JSON.parse(readFileSync(devFile, 'utf8')) as Partial<Seed>) : {};
}

function greeting({ url, consoleUrl, testKey }: Installation, operatorLink: string | null): string {
  return `
  Kinora is running.

    console   ${operatorLink ?? consoleUrl}${operatorLink ? '\n              the link works once: choose a name and a password' : ''}
    API       ${url}        documentation ${url}/docs
    test key  ${testKey}

  Paste this to make a video:

    curl -s ${url}/v1/videos/text-to-video \\
      -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' \\
      -d '{"prompt": "a paper boat on a quiet lake at dawn", "duration": 3}'

  Then read the task until its status is completed, and open its video_url:

    curl -s ${url}/v1/videos/TASK_ID -H 'Authorization: Bearer ${testKey}'

  Ctrl-C stops everything.
`;
}

/** Turns a JSON log line into text that a developer can read at a glance. */
function readable(line: string): string {
  try {
    const {
      level,
      time: _time,
      roles: _roles,
      pid: _pid,
      event: _event,
      msg,
      err,
      ...rest
    } = JSON.parse(line) as Record<string, unknown>;
    const error = typeof err === 'object' && err !== null && 'message' in err ? ` (${String(err.message)})` : '';
    const severity = Number(level) >= 50 ? 'ERROR ' : Number(level) >= 40 ? 'warn  ' : '';
    const fields = Object.entries(rest).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    return `${severity}${String(msg)}${error} ${fields.join(' ')}`.trimEnd();
  } catch {
    return line;
  }
}

function restartOnChange(installation: Installation): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let restarting = Promise.resolve();
  const begin = async (role: RoleName): Promise<void> => {
    await installation.stop(role);
    await installation.start(role);
  };
  const restart = async (): Promise<void> => {
    say('a file changed: restarting');
    const results = await Promise.allSettled(roleNames.map(begin));
    for (const result of results) if (result.status === 'rejected') console.error(`dev: ${String(result.reason)}`);
  };
  const watchers = sourceFolders.map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (!name || name.endsWith('.test.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        restarting = restarting.then(restart);
      }, 200);
    }),
  );
  return {
    close: async () => {
      for (const watcher of watchers) watcher.close();
      clearTimeout(timer);
      await restarting;
    },
  };
}
