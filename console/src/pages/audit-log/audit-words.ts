import type { AuditEvent, Kinora } from '@kinora/sdk';

type AuditQuery = NonNullable<Parameters<Kinora['auditEvents']['list']>[0]>;
export type AuditAction = NonNullable<AuditQuery['action']>;

/** Words for the actions in a project, to follow a name: "Ada created a key". */
export const auditWords = {
  'api_key.created': 'Created a key',
  'api_key.rotated': 'Rotated a key',
  'api_key.revoked': 'Revoked a key',
  'api_key.refused': 'Used a key that no longer works',
  'webhook_endpoint.created': 'Added a webhook endpoint',
  'webhook_endpoint.changed': 'Changed a webhook endpoint',
  'webhook_endpoint.deleted': 'Deleted a webhook endpoint',
  'webhook_endpoint.secret_rotated': 'Rotated a webhook secret',
  'callback_secret.read': 'Viewed the callback secret',
  'callback_secret.rotated': 'Rotated the callback secret',
  'task.cancelled': 'Cancelled a task',
  'task.retried': 'Ran a task again',
  'task.deleted': 'Deleted a task',
  'task.revealed': 'Viewed the content of a task',
  'file.deleted': 'Deleted an uploaded file',
  'project.created': 'Created the project',
  'project.changed': 'Changed the project',
  'project.suspended': 'Suspended the project',
  'project.resumed': 'Resumed the project',
  'member.changed': 'Changed a member',
  'member.removed': 'Removed a member',
} as const satisfies Partial<Record<AuditAction, string>>;

export function isAuditAction(value: unknown): value is keyof typeof auditWords {
  return typeof value === 'string' && Object.hasOwn(auditWords, value);
}

/** Returns what was done; an action that this console does not know yet as it is. */
export function actionText(action: string): string {
  return isAuditAction(action) ? auditWords[action] : action;
}

/** Returns the facts of an event as pairs of a name and a text. */
export function detailFacts(detail: AuditEvent['detail']): [string, string][] {
  return Object.entries(detail).map(([name, value]) => [name.replaceAll('_', ' '), factText(value)]);
}

function factText(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.map(factText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
