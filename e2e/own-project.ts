import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { inject } from 'vitest';
import { command } from './operator-command.ts';

export interface OwnProject {
  projectId: string;
  key: string;
  client: ApiClient;
  set: (...options: string[]) => Promise<string>;
}

/** Talks to the installation of the walks with this key. */
export const clientFor = (key: string): ApiClient => createApiClient({ url: inject('world').url, key });

/** The port on which this lane may listen for what the service fetches and sends. */
export const imagePort = (): number => {
  const port = inject('world').imagePorts[Number(process.env['VITEST_POOL_ID']) - 1];
  if (port === undefined) throw new Error('there are more lanes than ports');
  return port;
};

/** A project for one test alone, with a key of one mode. `--running 0` keeps its tasks waiting. */
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
