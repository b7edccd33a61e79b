/** What the audit log records. The names are public and stored, so they never change. */
export const auditActions = [
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.refused',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.deleted',
  'webhook_endpoint.secret_rotated',
  'callback_secret.read',
  'callback_secret.rotated',
  'task.cancelled',
  'task.retried',
  'task.deleted',
  'task.revealed',
  'file.deleted',
  'project.created',
  'project.changed',
  'project.suspended',
  'project.resumed',
  'project.purge_started',
  'project.purged',
  'engine.drained',
  'engine.resumed',
  'secrets.rewrapped',
  'person.created',
  'person.changed',
  'person.disabled',
  'person.enabled',
  'person.signed_in',
  'person.sign_in_refused',
  'person.password_changed',
  'person.password_reset',
  'session.ended',
  'member.changed',
  'member.removed',
  'objects.swept',
  'objects.restored',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** A few facts about an event. Never a secret, and of caller's texts and URLs at most a hash. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface AuditEvent {
  id: string;
  createdAt: Date;
  action: AuditAction;
  keyId: string | null;
  /** The person who used the console; null for programs and commands. */
  personId: string | null;
  operator: string | null;
  command: string | null;
  objectId: string | null;
  projectId: string | null;
  /** Null for what concerns both modes of a project. */
  livemode: boolean | null;
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
  detail: AuditDetail;
}
