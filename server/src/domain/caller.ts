export const scopes = [
  'videos:read',
  'videos:write',
  'files:write',
  'usage:read',
  'webhooks:manage',
  'keys:manage',
] as const;
export type Scope = (typeof scopes)[number];

/** Who sent a request, and what they may do. Tasks belong to project and mode. */
export interface Caller {
  keyId: string;
  projectId: string;
  livemode: boolean;
  scopes: readonly Scope[];
  isSuspended: boolean;
  limits: CallerLimits;
}

/** What the project may do in this mode, and how much of it is in use; read with the key, so it costs no query. */
export interface CallerLimits {
  createsPerMinute: number;
  /** GCRA: the moment from which creates are on time; in the future while a burst is being paid off. */
  createAllowedAt: Date;
  readsPerMinute: number;
  runningLimit: number;
  running: number;
  waitingLimit: number;
  waiting: number;
}
