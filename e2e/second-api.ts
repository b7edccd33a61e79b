import { join } from 'node:path';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { serverPath } from '@kinora/stack/harness/installation';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startProcess } from '@kinora/stack/parts/processes';
import { inject } from 'vitest';

/** Starts another API process of the same installation, with its own settings. */
export async function startSecondApi(name: string, settings: Record<string, string> = {}) {
  const port = await findFreePorts(1);
  return startRole(name, 'api', port, { KINORA_PORT: String(port), ...settings });
}

/** Starts a console of the same installation on a port of its own. */
export async function startConsole(
  name: string,
  settingsOf: (consoleUrl: string) => Promise<Record<string, string>> = async () => ({}),
) {
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const settings = { KINORA_CONSOLE_URL: url, KINORA_CONSOLE_PORT: String(port), ...(await settingsOf(url)) };
  return startRole(name, 'console', port, settings);
}

async function startRole(name: string, role: string, port: number, settings: Record<string, string>) {
  const { environment } = inject('world');
  const url = `http://127.0.0.1:${port}`;
  const started = startProcess({
    name,
    command: process.execPath,
    arguments: [serverPath, 'start', '--roles', role],
    environment: { ...environment, KINORA_PRIVATE_PORT: '0', ...settings },
    logPath: join(environment['KINORA_SCRATCH_FOLDER'] ?? '', '..', `${name}.log`),
  });
  const close = async (): Promise<void> => {
    started.kill();
    await started.exited;
  };
  const isHealthy = () =>
    fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await eventually(`${name} listens`, isHealthy).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return closing({ url, pid: started.pid, close });
}
