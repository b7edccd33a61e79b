import type { ApiKey } from '@kinora/sdk';

export type Scope = ApiKey['scopes'][number];

export interface ScopeInfo {
  scope: Scope;
  about: string;
  /** A warning about the damage that such a key can do; null if little. */
  danger: string | null;
}

/** Describes each scope, in the order in which people need them. */
export const scopeInfos: readonly ScopeInfo[] = [
  { scope: 'videos:write', about: 'Create, cancel and delete videos.', danger: null },
  { scope: 'videos:read', about: 'See and download videos, models and limits.', danger: null },
  { scope: 'files:write', about: 'Upload images and delete uploads.', danger: null },
  { scope: 'usage:read', about: 'See usage.', danger: null },
  {
    scope: 'webhooks:manage',
    about: 'Choose where events are sent, and read the secrets that sign them.',
    danger: 'It can send your videos and prompts elsewhere.',
  },
  {
    scope: 'keys:manage',
    about: 'Create, rotate and revoke keys.',
    danger: 'It can make keys for others and lock you out.',
  },
  {
    scope: 'audit:read',
    about: 'Read the audit log.',
    danger: 'It shows the addresses of all callers.',
  },
];

/** The scopes of a new key: what most programs need, and nothing dangerous. */
export const defaultScopes: readonly Scope[] = ['videos:write', 'videos:read', 'files:write', 'usage:read'];

/** Returns whether a scope gives lasting power over the project. */
export function isDangerous(scope: Scope): boolean {
  return scopeInfos.some((info) => info.scope === scope && info.danger !== null);
}
