import type { PartHealth } from '../../api/health.ts';

interface PartWords {
  name: string;
  /** A sentence that says what the part does. */
  purpose: string;
  /** A sentence that says what fails without it. */
  without: string;
}

export const partWords: Record<PartHealth['part'], PartWords> = {
  postgres: {
    name: 'Postgres',
    purpose: 'Stores tasks, keys and people.',
    without: 'Nothing can be created or read. Jobs that an engine has started continue.',
  },
  temporal: {
    name: 'Temporal',
    purpose: 'Moves every task through its stages.',
    without: 'New tasks are accepted and wait. Running tasks continue when Temporal is back.',
  },
  store: {
    name: 'Store',
    purpose: 'Stores images and videos.',
    without: 'Videos cannot be watched. Finished videos are saved when the store is back.',
  },
};

/** A part next to the roles responds within some milliseconds; requests of people wait for several such calls. */
const slowMilliseconds = 100;
const verySlowMilliseconds = 500;

/** Returns how fast a part is, in words. */
export function describeSpeed(milliseconds: number): string {
  if (milliseconds < slowMilliseconds) return 'Responds quickly.';
  if (milliseconds < verySlowMilliseconds) return 'Responds slowly: pages and requests take longer.';
  return 'Responds very slowly: requests may time out.';
}
