import { runCommand } from '@kinora/stack/harness/installation';
import { inject } from 'vitest';
import { type Client, clientFor } from './client.ts';

/** Runs `kinora-server` as an operator would and answers what it printed; rejects with what it complained of. */
export const command = (...args: string[]): Promise<string> => runCommand(inject('world').environment, ...args);

/** The same where refusal is expected: its exit code and words. */
export async function refusedCommand(...args: string[]): Promise<{ code: number; stderr: string }> {
  try {
    await command(...args);
  } catch (error) {
    // What execFile rejects with, as documented.
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr };
  }
  throw new Error(`kinora-server ${args.join(' ')} was expected to refuse`);
}

export interface OwnProject {
  projectId: string;
  key: string;
  client: Client;
  set: (...options: string[]) => Promise<string>;
}

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
