import { type AuditAction, auditWords } from '../audit-log/audit-words.ts';

/** Words for the actions that only operators see, such as sign-ins. */
const operatorWords: Readonly<Record<Exclude<AuditAction, keyof typeof auditWords>, string>> = {
  'project.purge_started': 'Started to erase a project',
  'project.purged': 'Erased a project',
  'engine.drained': 'Drained an endpoint',
  'engine.resumed': 'Resumed an endpoint',
  'secrets.rewrapped': 'Re-encrypted the secrets',
  'person.created': 'Added a person',
  'person.changed': 'Changed a person',
  'person.disabled': 'Disabled a person',
  'person.enabled': 'Enabled a person',
  'person.signed_in': 'Signed in',
  'person.sign_in_refused': 'Failed to sign in',
  'person.password_changed': 'Changed the password',
  'person.password_reset': 'Created a password link',
  'session.ended': 'Ended a session',
  'objects.swept': 'Deleted orphaned objects',
  'objects.restored': 'Restored objects',
};
const words: Readonly<Record<string, string>> = { ...auditWords, ...operatorWords };

/** Returns what was done in the installation; an action that this console does not know yet as it is. */
export function installationActionText(action: string): string {
  return words[action] ?? action;
}
