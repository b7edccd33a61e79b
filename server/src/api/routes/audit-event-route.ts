import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { auditEventListQuery, auditEventListSchema } from '../../http/audit-event-schema.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { defaultPageLimit, presentPage } from '../../http/list-schema.ts';
import { presentAuditEvent } from '../../http/present-audit-event.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';

const readListQuery = queryReader(auditEventListQuery);

/** GET /v1/audit-events. */
export function auditEventRoute(app: FastifyInstance, { listAuditEvents }: Pick<ApiParts, 'listAuditEvents'>): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/audit-events', {
    schema: {
      operationId: 'listAuditEvents',
      summary: 'List audit events',
      description:
        'Returns who did what in the project and mode, newest first: changes of keys, webhooks and secrets, ' +
        'deletions, changes by operators, and uses of keys that no longer work. Creating and reading tasks is not ' +
        'recorded.',
      tags: ['Audit log'],
      querystring: auditEventListQuery,
      response: {
        200: { ...reference(auditEventListSchema), description: 'One page of events.' },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request) => {
      const { limit = defaultPageLimit, after = null, order = 'desc', ...named } = readListQuery(request.query);
      const filter = {
        action: named.action,
        keyId: named.key_id,
        createdAfter: fromUnixSeconds(named.created_after),
        createdBefore: fromUnixSeconds(named.created_before),
      };
      const { events, hasMore } = await listAuditEvents(callerOf(request), { limit, after, order, filter });
      return presentPage(events.map(presentAuditEvent), hasMore);
    },
  });
}

function fromUnixSeconds(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}
