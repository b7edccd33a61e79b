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
}
