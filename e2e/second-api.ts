import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { serverPath } from '@kinora/stack/harness/installation';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startProcess } from '@kinora/stack/parts/processes';
import { inject } from 'vitest';

/** Starts another API process of the same installation, with its own settings. */
export async function startSecondApi(name: string, settings: Record<string, string> = {}) {
  const { environment } = inject('world');
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const api = startProcess({
    name,
    command: process.execPath,
    arguments: [serverPath, 'start', '--roles', 'api'],
    environment: { ...environment, KINORA_PORT: String(port), KINORA_PRIVATE_PORT: '0', ...settings },
    logPath: join(environment['KINORA_SCRATCH_FOLDER'] ?? '', '..', `${name}.log`),
  });
  const close = async (): Promise<void> => {
    api.kill();
    await api.exited;
  };
  const isHealthy = () =>
    fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await eventually(`${name} listens`, isHealthy).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url, pid: api.pid, close };
}
