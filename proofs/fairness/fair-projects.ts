import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Client } from 'pg';

/** A project of the proof and the tasks that it has created so far. */
export interface FairProject {
  name: string;
  api: ApiClient;
  taskIds: string[];
}

export type NewProject = (name: string, options: { weight: number; cap: number }) => Promise<FairProject>;

/** Returns a function that makes projects with far higher limits than callers have. */
export function createNewProject({ url, liveKey }: Installation, database: Client): NewProject {
  const owner = createApiClient({ url, key: liveKey });
  return async (name, { weight, cap }) => {
    const key = await insertProject(owner, database, { name, running: cap, weight });
    // On a busy machine creates may wait for their project's row so long that later ones exceed the rate limit.
    return { name, api: createApiClient({ url, key, patientWith: [429] }), taskIds: [] };
  };
}

export async function newTask({ api, taskIds }: FairProject): Promise<string> {
  const body = { prompt: 'A hill at dusk', model: 'animatic', resolution: '480p', duration: 1 };
  const { task_id: taskId } = await api.create(body);
  taskIds.push(taskId);
  return taskId;
}
