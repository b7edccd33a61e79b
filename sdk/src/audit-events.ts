import type { AuditEvent, ListAuditEventsData } from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import { listPages, type PagePromise } from './list-pages.ts';

/** The project's audit log. It needs a key with the scope `audit:read`. */
export interface AuditEvents {
  /** Lists the events, newest first by default. */
  list(query?: NonNullable<ListAuditEventsData['query']>, options?: RequestOptions): PagePromise<AuditEvent>;
}

/** Creates the `auditEvents` part of a client. */
export function createAuditEvents(http: Http): AuditEvents {
  return { list: (query = {}, options = {}) => listPages<AuditEvent>(http, '/v1/audit-events', query, options) };
}
