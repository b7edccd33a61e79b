export interface AuditLogSearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readAuditLogSearch(_search: Record<string, unknown>): AuditLogSearch {
  return {};
}
