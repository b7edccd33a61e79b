import type { ProjectRole } from '../../api/session.ts';
import type { Option } from '../../design/select.tsx';

/** What the roles of a project mean, in the order of what they allow. */
export const roleOptions: readonly Option<ProjectRole>[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'developer', label: 'Developer' },
  { value: 'admin', label: 'Admin' },
];

export const roleMeanings: Record<ProjectRole, string> = {
  viewer: 'Sees tasks, videos and usage. Creates nothing.',
  developer: 'Also creates, cancels and deletes videos, and manages webhooks.',
  admin: 'Also manages keys and members, and reads the audit log.',
};
