import { type ApiClient, bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Client } from 'pg';

export interface FollowedProject {
  api: ApiClient;
  /** The headers of a request with the project's key. */
  headers: Record<string, string>;
  tasks: { taskId: string; eventsUrl: string }[];
}

/** Makes projects whose tasks never run, each with its own key. */
export async function makeProjects(
  { url, liveKey }: Installation,
  database: Client,
  size: { projects: number; tasksPerProject: number },
): Promise<FollowedProject[]> {
  const owner = createApiClient({ url, key: liveKey });
  const fields = { prompt: 'A hill at dusk', resolution: '480p', duration: 1 };
  // One after the other, because the seeded project makes the keys and its rate of requests is limited.
  const projects: FollowedProject[] = [];
  for (let index = 0; index < size.projects; index += 1) {
    const key = await insertProject(owner, database, { name: 'a project of the proof', running: 0 });
    const project: FollowedProject = { api: createApiClient({ url, key }), headers: bearer(key), tasks: [] };
    for (let number = 0; number < size.tasksPerProject; number += 1) {
      const { task_id: taskId, events_url: eventsUrl } = await project.api.create(fields);
      project.tasks.push({ taskId, eventsUrl: eventsUrl ?? '' });
    }
    projects.push(project);
  }
  return projects;
}
