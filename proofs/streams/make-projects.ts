import { randomUUID } from 'node:crypto';
import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Client } from 'pg';

export interface FollowedTask {
  taskId: string;
  eventsUrl: string;
}

export interface FollowedProject {
  key: string;
  tasks: FollowedTask[];
}

/** Projects whose tasks wait for ever, each with a key of its own. */
export async function makeProjects(
  { url, liveKey }: Installation,
  database: Client,
  size: { projects: number; tasksPerProject: number },
): Promise<FollowedProject[]> {
  const post = async <Body>(path: string, key: string, body: object): Promise<Body> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: interrupted,
    });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Body; // as the contract says
  };

  const newProject = async (): Promise<string> => {
    const { key } = await post<{ key: string }>('/v1/api-keys', liveKey, { name: 'of the proof' });
    // The command that makes a project takes a second: too long for so many of them.
    const id = randomUUID();
    await database.query(
      `insert into projects (id, name, created_at, running_limit, waiting_limit, creates_per_minute, reads_per_minute)
       values ($1, 'of the proof', now(), 0, 100000, 1000000, 1000000)`,
      [id],
    );
    await database.query(`insert into project_slots (project_id, livemode, cap) values ($1, true, 0), ($1, false, 0)`, [
      id,
    ]);
    await database.query('update api_keys set project_id = $1 where sha256 = sha256($2::bytea)', [
      id,
      Buffer.from(key),
    ]);
    return key;
  };
  const newTask = async (key: string): Promise<FollowedTask> => {
    const body = { prompt: 'A hill at dusk', resolution: '480p', duration: 1 };
    const task = await post<{ task_id: string; events_url: string }>('/v1/videos/text-to-video', key, body);
    return { taskId: task.task_id, eventsUrl: task.events_url };
  };

  // One after the other: keys are made in the seeded project, and the reads of its key are limited.
  const projects: FollowedProject[] = [];
  for (let index = 0; index < size.projects; index += 1) {
    const key = await newProject();
    const tasks: FollowedTask[] = [];
    for (let number = 0; number < size.tasksPerProject; number += 1) tasks.push(await newTask(key));
    projects.push({ key, tasks });
  }
  return projects;
}
