import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { auditEventListQuery } from '../../http/audit-event-schema.ts';
import { defaultPageLimit, presentPage } from '../../http/list-schema.ts';
import { queryReader } from '../../http/query-reader.ts';
import type { OperatorParts } from '../operator-parts.ts';
import { presentOperatorAudit } from '../present-operator-audit.ts';
import { presentProcess } from '../present-process.ts';

const { action, after, limit } = auditEventListQuery.properties;
const auditQuery = Type.Object({ action, after, limit, project_id: Type.Optional(Type.String({ maxLength: 64 })) });
const readAuditQuery = queryReader(auditQuery);

type Parts = Pick<OperatorParts, 'checkHealth' | 'readRoles' | 'runDoctor' | 'listAuditEvents'>;

/** Whether the parts of the installation are well, and who did what in it. */
export function installationRoutes(app: FastifyInstance, parts: Parts): void {
  app.get('/console-api/health', async () => {
    const [checks, roles] = await Promise.all([parts.checkHealth(), parts.readRoles()]);
    return {
      checks,
      roles: roles && {
        processes: roles.processes.map(presentProcess),
        problems: roles.problems.map(({ reason, remedy }) => ({ reason, remedy })),
      },
    };
  });

  app.post('/console-api/doctor', async () => {
    const { results, ranAt, seconds } = await parts.runDoctor();
    return {
      checks: results.map(({ check, verdict, message, remedy }) => ({
        name: check,
        status: verdict,
        message,
        advice: remedy,
      })),
      ran_at: Math.floor(ranAt.getTime() / 1000),
      seconds,
    };
  });

  app.get('/console-api/audit-events', { schema: { querystring: auditQuery } }, async (request) => {
    const { project_id: projectId = null, ...query } = readAuditQuery(request.query);
    const { events, hasMore } = await parts.listAuditEvents(projectId, {
      after: query.after ?? null,
      limit: query.limit ?? defaultPageLimit,
      order: 'desc',
      filter: { action: query.action },
    });
    return presentPage(events.map(presentOperatorAudit), hasMore);
  });
}
