import type { Command } from 'commander';
import type { AuditEvent } from '../domain/audit-event.ts';
import { AppError } from '../errors.ts';
import { printTable } from './print-table.ts';
import { isProjectId } from './project-commands.ts';
import { readMoment } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

const pageSize = 500;
const dayMilliseconds = 24 * 60 * 60 * 1000;

interface ListOptions {
  project?: string;
  since?: Date;
  json: boolean;
}

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('read the audit log');

  audit
    .command('list')
    .description('list who did what, oldest first: changes of keys, webhooks and projects, deletions, commands')
    .option('--project <project-id>', 'only events of this project')
    .option('--since <date>', 'only events since this date (default: the last 24 hours)', readMoment)
    .option('--json', 'print one JSON object per line', false)
    .action(({ project, since, json }: ListOptions) =>
      withFoundation(async ({ db, clock }) => {
        if (project !== undefined && !isProjectId(project))
          throw new AppError('not_found', { message: `Project ${project} not found.` });
        const createdAfter = since ?? new Date(clock.now().getTime() - dayMilliseconds);
        const query = { filter: { createdAfter }, limit: pageSize, order: 'asc' } as const;
        for (let after: string | null = null; ; ) {
          const page: AuditEvent[] = await db.auditLog.pageOfAll(project ?? null, { ...query, after });
          if (json) for (const event of page) console.log(JSON.stringify(event));
          else if (page.length > 0 || after === null) printTable(columns, page.map(rowOf));
          after = page.at(-1)?.id ?? null;
          if (page.length < pageSize) return;
        }
      }),
    );
}

const columns = ['time', 'action', 'object', 'actor', 'address', 'project', 'detail'];

function rowOf(event: AuditEvent): string[] {
  const actor = event.operator === null ? (event.keyId ?? '') : `${event.operator} (${event.command})`;
  return [
    event.createdAt.toISOString(),
    event.action,
    event.objectId ?? '',
    actor,
    event.address ?? '',
    event.projectId ?? '',
    JSON.stringify(event.detail),
  ];
}
