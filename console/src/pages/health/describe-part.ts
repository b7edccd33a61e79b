import type { PartHealth } from '../../api/health.ts';

interface PartWords {
  name: string;
  /** What it is for. */
  purpose: string;
  /** What does not work without it. */
  without: string;
}

export const partWords: Record<PartHealth['part'], PartWords> = {
  postgres: {
    name: 'Postgres',
    purpose: 'Stores tasks, keys and people.',
    without: 'Nothing can be created or read. Jobs that engines have begun go on.',
  },
  temporal: {
    name: 'Temporal',
    purpose: 'Leads every task through its stages.',
    without: 'New tasks are accepted and wait. Running ones go on when it is back.',
  },
  store: {
    name: 'Store',
    purpose: 'Keeps images and videos.',
    without: 'Videos cannot be watched, and finished ones are saved when it is back.',
  },
};

/** A part next to the roles responds within some milliseconds; requests of people wait for several such calls. */
const slowMilliseconds = 100;
const verySlowMilliseconds = 500;

/** Returns how fast a part is, in words. */
export function describeSpeed(milliseconds: number): string {
  if (milliseconds < slowMilliseconds) return 'Responds quickly.';
  if (milliseconds < verySlowMilliseconds) return 'Responds slowly: pages and requests take longer.';
  return 'Responds very slowly: requests may run out of time.';
}
