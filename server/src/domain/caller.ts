export const scopes = [
  'videos:read',
  'videos:write',
  'files:write',
  'usage:read',
  'webhooks:manage',
  'keys:manage',
] as const;
export type Scope = (typeof scopes)[number];

/** The sender of a request and what it may do. Tasks belong to the project and mode, not to the key. */
export interface Caller {
  keyId: string;
  projectId: string;
  livemode: boolean;
  scopes: readonly Scope[];
  isSuspended: boolean;
  limits: CallerLimits;
}

/**
 * The project's limits in this mode and their current use. They are read together with the key, so they cost no query.
 */
export interface CallerLimits {
  createsPerMinute: number;
  /** GCRA: the theoretical arrival time of the next create. It is in the future while a burst is being paid off. */
  createAllowedAt: Date;
  readsPerMinute: number;
  runningLimit: number;
  running: number;
  waitingLimit: number;
  waiting: number;
}
