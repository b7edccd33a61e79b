import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type ConsoleClient, signIn, tokenOf } from '@kinora/stack/harness/console-client';
import { type Installation, roleNames, startInstallation } from '@kinora/stack/harness/installation';
import { smallestModel, writeModelsFile } from '@kinora/stack/harness/models-file';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import { startCog } from '@kinora/stack/parts/real-engines';
import type { Stack } from '@kinora/stack/parts/stack';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';

/** Somebody who can sign in to the console of the tests. */
export interface Account {
  email: string;
  name: string;
  password: string;
}

/** Who exists: an operator, one person of each role in the first project, and an admin of another project. */
export const accounts = {
  operator: { email: 'olga@example.com', name: 'Olga Operator', password: 'a lamp, a lens and a wheel' },
  admin: { email: 'ada@example.com', name: 'Ada Admin', password: 'thirty frames for every second' },
  developer: { email: 'dev@example.com', name: 'Devi Developer', password: 'splice the film by hand' },
  viewer: { email: 'vera@example.com', name: 'Vera Viewer', password: 'front row of the balcony' },
  stranger: { email: 'sam@example.com', name: 'Sam Stranger', password: 'another cinema in town' },
} as const satisfies Record<string, Account>;
export type AccountName = keyof typeof accounts;

export interface ConsoleWorld {
  installation: Installation;
  stack: Stack;
  /** The one-time link of the first operator, which the setup has used. */
  usedWelcomeUrl: string;
  otherProjectId: string;
  operator: ConsoleClient;
  close: () => Promise<void>;
}

/**
 * Builds the console and starts an installation with it in production mode: the animatic and, unless it is left out, a
 * real Cog server as engines, and the people above.
 */
export async function startConsoleWorld(options: {
  withCog: boolean;
  loopbackPorts?: readonly number[];
  onProgress?: (line: string) => void;
}): Promise<ConsoleWorld> {
  const root = resolve(import.meta.dirname, '../..');
  const [stack] = await Promise.all([
    startTemporaryStack('console', options.onProgress),
    promisify(execFile)('npx', ['vite', 'build', 'console', '--logLevel', 'warn'], {
      cwd: root,
      // Vitest sets `test`, with which React would be built for development.
      env: { ...process.env, NODE_ENV: 'production' },
    }),
  ]);
  let cog: RealEngine | null = null;
  let installation: Installation | null = null;
  const close = async (): Promise<void> => {
    await installation?.close();
    await cog?.stop();
    await stack.wipe();
  };
  try {
    const folder = join(stack.info.folder, 'engines');
    await mkdir(folder, { recursive: true });
    cog = options.withCog ? await startCog({ folder }) : null;
    const modelsPath = await writeModelsFile(join(folder, 'models.yaml'), {
      models: [
        { id: 'animatic' },
        ...(cog
          ? [
              {
                id: 'wan-tiny',
                name: 'Wan, tiny',
                price: { currency: 'USD', per_second: { '480p': '0.02' } },
                pool: 'wan',
                ...smallestModel,
                types: ['text_to_video', 'image_to_video'],
                grid: 16,
                canvases: { '480x480': '64x64' },
                frame_step: 4,
                negative_prompt: true,
                parameters: { num_inference_steps: 4 },
              },
            ]
          : []),
      ],
      pools: cog ? [{ id: 'wan', engine: 'cog', endpoints: [{ id: 'cog-1', url: cog.url }] }] : [],
    });
    const running = await startInstallation({
      stack,
      roles: roleNames,
      loopbackPorts: options.loopbackPorts ?? [],
      environment: { KINORA_MODELS_FILE: modelsPath, KINORA_ANIMATIC_SLOTS: '4' },
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    installation = running;
    const { consoleUrl, projectId } = running;
    await running.command('projects', 'set', projectId, ...ampleLimits);
    const other = JSON.parse(await running.command('projects', 'create', 'another studio')) as { id: string };
    const usedWelcomeUrl = /http\S+/.exec(await running.command('people', 'first-operator'))?.[0] ?? '';
    const { email, name, password } = accounts.operator;
    const token = tokenOf(usedWelcomeUrl);
    const operator = await signIn(consoleUrl, '/first-operator', { token, email, name, password });
    for (const role of ['admin', 'developer', 'viewer'] as const)
      await addMember(operator, consoleUrl, projectId, accounts[role], role);
    await addMember(operator, consoleUrl, other.id, accounts.stranger, 'admin');
    return { installation: running, stack, usedWelcomeUrl, otherProjectId: other.id, operator, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addMember(
  operator: ConsoleClient,
  consoleUrl: string,
  projectId: string,
  { email, name, password }: Account,
  role: string,
): Promise<void> {
  const { setup_url } = await operator.call<{ setup_url: string }>('POST', `/projects/${projectId}/members`, {
    email,
    name,
    role,
  });
  await signIn(consoleUrl, '/password-reset', { token: tokenOf(setup_url), password });
}
