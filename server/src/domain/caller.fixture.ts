import type { CallerLimits } from './caller.ts';

/** The limits of a new project, with nothing used. */
export const unusedLimits: CallerLimits = {
  createsPerMinute: 60,
  createAllowedAt: new Date(0),
  readsPerMinute: 600,
  runningLimit: 2,
  running: 0,
  waitingLimit: 100,
  waiting: 0,
  storage: { limitBytes: 100_000_000_000, usedBytes: 0, filesLimit: 10_000, files: 0 },
};
