import type { EngineHealth } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';

const statuses = ['STARTING', 'READY', 'BUSY', 'SETUP_FAILED', 'DEFUNCT', 'UNHEALTHY'] as const;

/** The status of a Cog server by its own health check, whose HTTP status is always 200. */
export type CogStatus = (typeof statuses)[number];

const maximumInputs = 200;

export function parseStatus(json: unknown): CogStatus {
  const { status } = fieldsOf(json);
  const known = statuses.find((candidate) => candidate === status);
  if (known === undefined) throw new Error('the engine sent an unexpected status');
  return known;
}

/** BUSY is ready too: our own record of slots says whether the server is free for a job. */
export function healthOf(status: CogStatus): EngineHealth {
  switch (status) {
    case 'READY':
    case 'BUSY':
      return { isReady: true };
    case 'STARTING':
      return { isReady: false, reason: 'it is starting' };
    case 'SETUP_FAILED':
      return { isReady: false, reason: 'its setup failed: see its own log, and restart it' };
    case 'DEFUNCT':
    case 'UNHEALTHY':
      return { isReady: false, reason: 'its worker has died: restart it' };
  }
}

/** Returns the version from the index, or from the health check if the index has none. */
export function parseVersion(index: unknown, health: unknown): string {
  const { cog_version: fromIndex } = fieldsOf(index);
  const { version } = fieldsOf(health);
  const fromHealth = typeof version === 'object' && version !== null && 'coglet' in version ? version.coglet : null;
  const found = [fromIndex, fromHealth].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found.slice(0, 100) : 'unknown';
}

/** Returns the names of the inputs in the schema that `cog build` writes; null if there is none. */
export function parseInputNames(schema: unknown): string[] | null {
  let found = schema;
  for (const name of ['components', 'schemas', 'Input', 'properties']) {
    if (typeof found !== 'object' || found === null) return null;
    found = (found as Record<string, unknown>)[name]; // an object; what is in it stays unknown
  }
  return typeof found === 'object' && found !== null ? Object.keys(found).slice(0, maximumInputs) : null;
}
