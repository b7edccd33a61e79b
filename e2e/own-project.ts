import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { inject } from 'vitest';
import { command } from './operator-command.ts';

export interface OwnProject {
  projectId: string;
  key: string;
  client: ApiClient;
  set: (...options: string[]) => Promise<string>;
}

/** Returns a client of the e2e installation with this key. */
export const clientFor = (key: string): ApiClient => createApiClient({ url: inject('world').url, key });

/** Returns the port of this Vitest worker, on which the service may fetch images and deliver webhooks. */
export const workerPort = (): number => {
  const port = inject('world').workerPorts[Number(process.env['VITEST_POOL_ID']) - 1];
  if (port === undefined) throw new Error('there are more Vitest workers than ports');
  return port;
};

/** Creates a project for one test or test file, with a key of one mode. With `--running 0` its tasks never start. */
export async function ownProject(
  name: string,
  settings: string[] = [],
  mode: 'test' | 'live' = 'test',
): Promise<OwnProject> {
  const { id: projectId } = JSON.parse(await command('projects', 'create', name)) as { id: string };
  const set = (...options: string[]) => command('projects', 'set', projectId, ...options);
  const [{ key }] = await Promise.all([createKey(projectId, '--mode', mode), settings.length > 0 && set(...settings)]);
  return { projectId, key, client: clientFor(key), set };
}

export async function createKey(projectId: string, ...options: string[]): Promise<{ id: string; key: string }> {
  return JSON.parse(await command('keys', 'create', projectId, ...options)) as { id: string; key: string };
}
