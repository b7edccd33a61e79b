import type { StoredFile } from '../../db/tasks/file-table.ts';
import type { Operator } from '../../domain/actor.ts';
import type { AuditDetail } from '../../domain/audit-event.ts';
import { AppError } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Log } from '../../telemetry/log.ts';
import { auditEventOf, recordAuditEvent } from '../audit/record-audit-event.ts';
import { revokeAllApiKeys } from '../keys/revoke-api-key.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { deleteWebhookEndpoint } from '../webhooks/delete-webhook-endpoint.ts';
import { cancelProjectTasks, setProject } from './set-project.ts';

interface Dependencies extends WorkflowParts {
  storage: Storage;
  log: Log;
}

/** What a purge has erased. */
export interface Purged {
  keys: number;
  members: number;
  webhookEndpoints: number;
  tasks: number;
  files: number;
}

const pageSize = 500;
/** How many tasks are deleted at once: each waits for the store. */
const lanes = 8;

/**
 * Ends all access to a project, then erases its content. It is suspended, which also ends its signed links, its keys
 * are revoked, its members removed, its webhooks deleted. Then its active tasks are cancelled, and its tasks and
 * uploads erased, page by page. Every step is committed by itself, so another purge completes one that was interrupted.
 * Null if there is no such project.
 */
export async function purgeProject(
  dependencies: Dependencies,
  operator: Operator,
  projectId: string,
): Promise<Purged | null> {
  const { db, clock } = dependencies;
  if (!(await setProject(dependencies, operator, projectId, { isSuspended: true }))) return null;
  const record = (action: 'project.purge_started' | 'project.purged', detail: AuditDetail) =>
    recordAuditEvent(db, operator, { action, objectId: projectId, of: { projectId }, detail }, clock.now());
  await record('project.purge_started', {});
  const keys = (await revokeAllApiKeys(dependencies, operator, projectId)).length;
  const members = await removeMembers(dependencies, operator, projectId);
  const webhookEndpoints = await deleteWebhookEndpoints(dependencies, operator, projectId);
  await cancelProjectTasks(dependencies, operator, projectId);
  const tasks = await deleteTasks(dependencies, operator, projectId);
  const files = await deleteFiles(dependencies, operator, projectId);
  await record('project.purged', { keys, members, webhook_endpoints: webhookEndpoints, tasks, files });
  return { keys, members, webhookEndpoints, tasks, files };
}

async function removeMembers({ db, clock }: Dependencies, operator: Operator, projectId: string): Promise<number> {
  const now = clock.now();
  return db.transaction(async (tables) => {
    const removed = await tables.projectMembers.removeAll(projectId);
    const toEvent = (personId: string) =>
      auditEventOf(operator, { action: 'member.removed', objectId: personId, of: { projectId } }, now);
    await tables.auditEvents.insert(removed.map(toEvent));
    return removed.length;
  });
}

async function deleteWebhookEndpoints(
  dependencies: Dependencies,
  operator: Operator,
  projectId: string,
): Promise<number> {
  let deleted = 0;
  for (const livemode of [true, false]) {
    const owner = { projectId, livemode };
    for (;;) {
      const page = await dependencies.db.webhookEndpoints.page(owner, { after: null, limit: pageSize, order: 'asc' });
      for (const { id } of page) {
        // Another purge may delete it first.
        await deleteWebhookEndpoint(dependencies, operator, owner, id).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        });
      }
      deleted += page.length;
      if (page.length < pageSize) break;
    }
  }
  return deleted;
}

async function deleteTasks(dependencies: Dependencies, operator: Operator, projectId: string): Promise<number> {
  let deleted = 0;
  for (let after: string | null = null; ; ) {
    const page = await dependencies.db.tasks.undeletedOf(projectId, after, pageSize);
    const queue = page.values();
    const work = async () => {
      for (const taskId of queue) await deleteTask(dependencies, operator, taskId);
    };
    await Promise.all(Array.from({ length: lanes }, work));
    deleted += page.length;
    if (page.length < pageSize) return deleted;
    after = page.at(-1) ?? null;
  }
}

async function deleteFiles(
  { db, storage, clock }: Dependencies,
  operator: Operator,
  projectId: string,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const now = clock.now();
    const page = await db.transaction(async (tables) => {
      const expired = await tables.files.expireSomeOf(projectId, now, pageSize);
      const toEvent = (file: StoredFile) =>
        auditEventOf(operator, { action: 'file.deleted', objectId: file.id, of: file }, now);
      await tables.auditEvents.insert(expired.map(toEvent));
      return expired;
    });
    await storage.delete(page.map(({ objectKey }) => objectKey));
    await db.files.delete(page.map(({ id }) => id));
    deleted += page.length;
    if (page.length < pageSize) return deleted;
  }
}
