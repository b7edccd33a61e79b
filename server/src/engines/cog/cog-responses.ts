import type { EngineHealth } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';

const statuses = ['STARTING', 'READY', 'BUSY', 'SETUP_FAILED', 'DEFUNCT', 'UNHEALTHY'] as const;

/** What a Cog server says of itself; it answers with 200 whatever it says. */
export type CogStatus = (typeof statuses)[number];

const maximumInputs = 200;

export function parseStatus(answer: unknown): CogStatus {
  const { status } = fieldsOf(answer);
  const known = statuses.find((candidate) => candidate === status);
  if (known === undefined) throw new Error('the engine sent an unexpected status');
  return known;
}

/** Busy is well: with whom is for our own record of slots to say. */
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

/** The version from the index, or from the health check where the index names none. */
export function parseVersion(index: unknown, health: unknown): string {
  const { cog_version: fromIndex } = fieldsOf(index);
  const { version } = fieldsOf(health);
  const fromHealth = typeof version === 'object' && version !== null && 'coglet' in version ? version.coglet : null;
  const found = [fromIndex, fromHealth].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found.slice(0, 100) : 'unknown';
}

/** The names of the inputs in the schema that `cog build` leaves; null where there is none to be found. */
export function parseInputNames(schema: unknown): string[] | null {
  let found = schema;
  for (const name of ['components', 'schemas', 'Input', 'properties']) {
    if (typeof found !== 'object' || found === null) return null;
    found = (found as Record<string, unknown>)[name]; // an object; what is in it stays unknown
  }
  return typeof found === 'object' && found !== null ? Object.keys(found).slice(0, maximumInputs) : null;
}
