import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, startInstallation, type UsualRole, usualRoles } from '@kinora/stack/harness/installation';
import { ampleLimits, neverRunning } from '@kinora/stack/harness/project-limits';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { findFreePorts, reservePorts } from '@kinora/stack/parts/free-port';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import type { TestProject } from 'vitest/node';

/** What the e2e tests know about the installation that they test. */
export interface World {
  url: string;
  projectId: string;
  testKey: string;
  liveKey: string;
  /** The settings of every process, for `kinora-server` commands. */
  environment: Record<string, string>;
  stackName: string;
  animaticUrl: string;
  apiMetricsUrl: string;
  relayMetricsUrl: string;
  rolePids: Record<UsualRole, number>;
  /** The key of a project whose tasks never start: they wait until they are cancelled. */
  waitingKey: string;
  /** The service may send requests to these ports of 127.0.0.1, one per Vitest worker; tests start servers there. */
  workerPorts: number[];
  /** The service may send requests to this port too, but no program ever listens there. */
  deadPort: number;
  /** A project outside this repository in which the tarballs of `npm run pack` are installed. */
  callerFolder: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    world: World;
  }
}

/** Two per Vitest worker: a slow task delays no other worker, and a limit of one can only come from the project. */
const slots = '4';
const reconcileSeconds = '5';

interface StartedWorld {
  world: World;
  selfRepairs: (before: Date | null) => Promise<string[]>;
  close: () => Promise<void>;
}

// Vitest runs this setup once per project. Both e2e projects share one installation, which ends with the last of them.
const shared = globalThis as { e2eWorld?: Promise<StartedWorld>; e2eUsers?: number };

/** Vitest's global setup: starts one stack and one installation for all e2e tests, with one process per role. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.e2eUsers = (shared.e2eUsers ?? 0) + 1;
  shared.e2eWorld ??= startWorld();
  const { world, selfRepairs, close } = await shared.e2eWorld;
  project.provide('world', world);
  return async () => {
    shared.e2eUsers = (shared.e2eUsers ?? 0) - 1;
    if (shared.e2eUsers > 0) return;
    try {
      const repairs = await selfRepairs(firstFaultAt(project));
      if (repairs.length > 0) throw new Error(`without any injected fault:\n${repairs.join('\n')}`);
    } finally {
      await close();
    }
  };
}

/** Returns when the first test began that may stop parts of the installation, or null if none has run. */
function firstFaultAt({ vitest }: TestProject): Date | null {
  const alone = vitest.state.getFiles().filter(({ projectName }) => projectName === 'e2e-alone');
  const starts = alone.flatMap(({ result }) => result?.startTime ?? []);
  return starts.length === 0 ? null : new Date(Math.min(...starts));
}

async function startWorld(): Promise<StartedWorld> {
  const [stack, callerFolder] = await Promise.all([startTemporaryStack('e2e'), installPackages()]);
  try {
    const [first, reserved] = await Promise.all([findFreePorts(4), reservePorts(3)]);
    const [workerPorts, deadPort, relayPort] = [[reserved, reserved + 1], reserved + 2, first + 3];
    const installation = await startInstallation({
      stack,
      loopbackPorts: [...workerPorts, deadPort],
      ports: { api: first, animatic: first + 1, private: first + 2 },
      environment: {
        KINORA_SECRET_KEYS: 'e2e-signs-urls-with-this-key-and-no-other',
        KINORA_ANIMATIC_SLOTS: slots,
        KINORA_RECONCILE_SECONDS: reconcileSeconds,
        KINORA_CORS_ORIGINS: 'https://app.example.com',
      },
    });
    // The relay has its own metrics, but by default only the API has a private port to read them from.
    await installation.stop('relay');
    await installation.start('relay', { KINORA_PRIVATE_PORT: String(relayPort) });
    const { projectId, url, testKey, liveKey, environment } = installation;
    await installation.command('projects', 'set', projectId, ...ampleLimits);
    const waiting = JSON.parse(await installation.command('projects', 'create', 'waiting')) as { id: string };
    await installation.command('projects', 'set', waiting.id, ...neverRunning);
    const issued = await installation.command('keys', 'create', waiting.id, '--mode', 'test');
    const world = {
      url,
      projectId,
      testKey,
      liveKey,
      environment,
      stackName: stack.info.name,
      animaticUrl: `http://127.0.0.1:${first + 1}`,
      apiMetricsUrl: `http://127.0.0.1:${first + 2}/metrics`,
      relayMetricsUrl: `http://127.0.0.1:${relayPort}/metrics`,
      rolePids: Object.fromEntries(usualRoles.map((role) => [role, pidOf(installation, role)])) as World['rolePids'],
      waitingKey: (JSON.parse(issued) as { key: string }).key,
      workerPorts,
      deadPort,
      callerFolder,
    };
    const selfRepairs = (before: Date | null): Promise<string[]> => findSelfRepairs(stack, installation, before);
    const close = async (): Promise<void> => {
      await rm(callerFolder, { recursive: true, force: true });
      await installation.close();
      await stack.wipe();
    };
    return { world, selfRepairs, close };
  } catch (error) {
    await stack.wipe();
    throw error;
  }
}

function pidOf(installation: Installation, role: UsualRole): number {
  const running = installation.process(role);
  if (!running) throw new Error(`${role} does not run`);
  return running.pid;
}

/** Packs the packages for callers, and installs them as a caller would who has no network. */
async function installPackages(): Promise<string> {
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), 'kinora-caller-'));
  const root = resolve(import.meta.dirname, '..');
  await run(process.execPath, ['scripts/pack.ts', '--output', folder], { cwd: root });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`);
  await run('npm', ['install', '--offline', '--cache', join(folder, 'cache'), ...tarballs], { cwd: folder });
  return folder;
}
