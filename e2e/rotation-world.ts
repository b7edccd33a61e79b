import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { readPageCommands } from '@kinora/stack/harness/page-commands';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { startWebhookReceiver, type WebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';

const root = join(import.meta.dirname, '..');

/** The page whose commands the test runs. */
export const rotationPage = readFileSync(join(root, 'docs/operations/rotate-secret-keys.md'), 'utf8');

/** One process of the installation. */
export interface Member {
  role: RoleName;
  copy: number;
}

export interface RotationWorld {
  installation: Installation;
  receiver: WebhookReceiver;
  /** The URLs of the two API processes. */
  apis: readonly [string, string];
  relayMetricsUrl: string;
  /** Runs commands of the page and returns what they printed. */
  runPage(name: string): Promise<string>;
  /** The keys in the settings file now. */
  keys(): string[];
  setKeys(keys: readonly string[]): Promise<void>;
  /** Stops a process and starts it with the present settings. */
  restart(member: Member): Promise<void>;
  close(): Promise<void>;
}

/** Starts an installation with two API processes, whose secret keys are in a settings file as on an operator's host. */
export async function startRotationWorld(): Promise<RotationWorld> {
  const stack = await startTemporaryStack('rotation');
  const first = await findFreePorts(6);
  const [secondApiPort, relayPort, receiverPort] = [first + 3, first + 4, first + 5];
  const receiver = await startWebhookReceiver(receiverPort);
  const close = async (): Promise<void> => {
    await receiver.close();
    await stack.wipe();
  };
  try {
    const installation = await startInstallation({
      stack,
      loopbackPorts: [receiverPort],
      ports: { api: first, animatic: first + 1, private: first + 2 },
      copies: { api: 2 },
      environmentOf: (role, copy) => ({
        ...(copy === 1 ? { KINORA_PORT: String(secondApiPort), KINORA_PRIVATE_PORT: '0' } : {}),
        ...(role === 'relay' ? { KINORA_PRIVATE_PORT: String(relayPort) } : {}),
      }),
    });
    await installation.command('projects', 'set', installation.projectId, ...ampleLimits);
    const settingsPath = join(stack.info.folder, 'settings.env');
    const keys = () => readKeys(readFileSync(settingsPath, 'utf8'));
    const setKeys = (list: readonly string[]): Promise<void> =>
      writeFile(settingsPath, renderSettings({ ...installation.environment, KINORA_SECRET_KEYS: list.join() }));
    await setKeys([installation.environment['KINORA_SECRET_KEYS'] ?? '']);
    return {
      installation,
      receiver,
      apis: [installation.url, `http://127.0.0.1:${secondApiPort}`],
      relayMetricsUrl: `http://127.0.0.1:${relayPort}/metrics`,
      keys,
      setKeys,
      runPage: (name) => runPage(name, settingsPath),
      restart: async ({ role, copy }) => {
        await installation.stop(role, 'SIGTERM', copy);
        await installation.start(role, { KINORA_SECRET_KEYS: keys().join() }, copy);
      },
      close: async () => {
        await installation.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function runPage(name: string, settingsPath: string): Promise<string> {
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const environment = { ...process.env, PATH: path, SETTINGS: settingsPath };
  const words = ['-euo', 'pipefail', '-c', readPageCommands(rotationPage, name)];
  return (await promisify(execFile)('bash', words, { env: environment })).stdout;
}

/** Renders settings as both systemd and a shell read them. Keys need no quotes. */
function renderSettings(settings: Record<string, string>): string {
  const lines = Object.entries(settings).map(([name, value]) =>
    name === 'KINORA_SECRET_KEYS' ? `${name}=${value}\n` : `${name}='${value}'\n`,
  );
  return lines.join('');
}

function readKeys(settings: string): string[] {
  return /^KINORA_SECRET_KEYS=(.*)$/m.exec(settings)?.[1]?.split(',') ?? [];
}
