import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';

/** Returns the caller's own X-Request-Id if it is safe to log and echo, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined, clock: Clock): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(header) ? header : newId('req', clock.now());
}
