import type { Origin } from './actor.ts';

export const scopes = [
  'videos:read',
  'videos:write',
  'files:write',
  'usage:read',
  'webhooks:manage',
  'keys:manage',
  'audit:read',
] as const;
export type Scope = (typeof scopes)[number];

/** Granted only by name: the first two can give others lasting access, and the audit log shows callers' addresses. */
export const scopesToName: readonly Scope[] = ['webhooks:manage', 'keys:manage', 'audit:read'];

/** The sender of a request and what it may do. Tasks belong to the project and mode, not to the key. */
export interface Caller {
  keyId: string;
  projectId: string;
  livemode: boolean;
  scopes: readonly Scope[];
  /** When its key, a rotation's overlap or a token ends; null if never, as for people. Keys it creates end no later. */
  expiresAt: Date | null;
  isSuspended: boolean;
  limits: CallerLimits;
  /** When the token of the request expires; absent if the request has a key. */
  tokenExpiresAt?: Date | undefined;
  /** The person who uses the console, and when they last proved who they are; absent for programs. */
  person?: { id: string; sessionId: string; signedInAt: Date } | undefined;
  /** The only task that a token is for; absent if the caller may use all tasks of its project and mode. */
  onlyTaskId?: string | undefined;
  /** Set for every request. */
  origin?: Origin | undefined;
}

/** How many times its waiting limit a project's tasks may wait in all pools together. */
export const totalWaitingFactor = 10;

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
  /** For the models of each pool. */
  waitingLimit: number;
  waiting: number;
  storage: StorageUse;
}

/** What a project stores in one mode, and how much it may store. */
export interface StorageUse {
  limitBytes: number;
  /** Bytes of uploaded files and of the files of tasks. */
  usedBytes: number;
  filesLimit: number;
  /** Uploaded files, including expired ones that have not been deleted yet. */
  files: number;
}
