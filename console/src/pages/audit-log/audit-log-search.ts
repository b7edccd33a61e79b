import { type AuditAction, isAuditAction } from './audit-words.ts';

export interface AuditLogSearch {
  action?: AuditAction;
  /** The id of the key whose events are shown; people who use this console have one too. */
  key?: string;
  /** The first and the last day, such as `2026-11-18`, in UTC. */
  from?: string;
  to?: string;
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readAuditLogSearch(search: Record<string, unknown>): AuditLogSearch {
  const { action, key, from, to } = search;
  return {
    ...(isAuditAction(action) ? { action } : {}),
    ...(typeof key === 'string' && /^key_\w{1,40}$/.test(key) ? { key } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}

/** Returns the search as the API takes it. Both days are included. */
export function auditQuery({ action, key, from, to }: AuditLogSearch) {
  return {
    ...(action ? { action } : {}),
    ...(key ? { key_id: key } : {}),
    ...(from ? { created_after: Date.parse(from) / 1000 } : {}),
    ...(to ? { created_before: Date.parse(to) / 1000 + 86_400 } : {}),
  };
}
