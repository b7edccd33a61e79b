import { queryOptions } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';

interface PerMode {
  live: number;
  test: number;
}

export interface ProjectLimits {
  running_limit: number;
  waiting_limit: number;
  creates_per_minute: number;
  reads_per_minute: number;
  /** The limits on stored bytes and on files apply to each mode. */
  storage_limit_bytes: number;
  files_limit: number;
  weight: number;
}

/** A project as operators see it. */
export interface ManagedProject extends ProjectLimits {
  id: string;
  name: string;
  created_at: number;
  suspended_at: number | null;
  running: PerMode;
  waiting: PerMode;
  stored_bytes: number;
  members: number;
}

export type ProjectChange = Partial<ProjectLimits> & { name?: string; is_suspended?: boolean };

export const allProjectsQuery = queryOptions({
  queryKey: ['all-projects'],
  queryFn: async () => (await consoleApi<{ data: ManagedProject[] }>('GET', '/projects')).data,
});

export async function createProject(name: string): Promise<void> {
  await consoleApi('POST', '/projects', { name });
}

export async function changeProject(id: string, change: ProjectChange): Promise<void> {
  await consoleApi('PATCH', `/projects/${id}`, change);
}
