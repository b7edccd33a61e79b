import { newId, newProjectId, type OwnedPrefix } from './id.ts';

/** Returns an id of a thing that does not exist, in a project that does not exist either. */
export function strayId(prefix: OwnedPrefix, now: Date): string {
  return newId(prefix, now, newProjectId(now));
}
