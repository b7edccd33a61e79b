import type { ProjectOverview } from '../db/access/project-overview-table.ts';
import { unixSeconds } from '../http/unix-seconds.ts';

/** Returns a project as operators see it. */
export function presentProject(project: ProjectOverview) {
  return {
    id: project.id,
    name: project.name,
    created_at: unixSeconds(project.createdAt),
    suspended_at: project.suspendedAt && unixSeconds(project.suspendedAt),
    running_limit: project.runningLimit,
    waiting_limit: project.waitingLimit,
    creates_per_minute: project.createsPerMinute,
    reads_per_minute: project.readsPerMinute,
    storage_limit_bytes: project.storageLimitBytes,
    files_limit: project.filesLimit,
    weight: project.weight,
    running: project.running,
    waiting: project.waiting,
    stored_bytes: project.storedBytes,
    members: project.members,
  };
}
