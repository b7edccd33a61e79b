import { randomUUID } from 'node:crypto';
import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Client } from 'pg';

/** A project of the proof, with a live key and what it has asked for so far. */
export interface FairProject {
  name: string;
  key: string;
  weight: number;
  taskIds: string[];
}

/** Makes projects and asks for tasks, as callers would; only far more of them than their limits would let. */
export function createCallers({ url, liveKey }: Pick<Installation, 'url' | 'liveKey'>, database: Client) {
  const ask = async <Body>(method: string, path: string, key: string, body?: object): Promise<Body> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
      signal: interrupted,
    });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Body; // as the contract says
  };

  return {
    /** The command that makes a project takes a second: too long for so many of them. */
    async newProject(name: string, { weight, cap }: { weight: number; cap: number }): Promise<FairProject> {
      const { key } = await ask<{ key: string }>('POST', '/v1/api-keys', liveKey, { name });
      const id = randomUUID();
      await database.query(
        `insert into projects
           (id, name, created_at, running_limit, waiting_limit, creates_per_minute, reads_per_minute, weight)
         values ($1, $2, now(), $3, 100000, 1000000, 1000000, $4)`,
        [id, name, cap, weight],
      );
      await database.query(
        'insert into project_slots (project_id, livemode, cap) values ($1, true, $2), ($1, false, $2)',
        [id, cap],
      );
      await database.query('update api_keys set project_id = $1 where sha256 = sha256($2::bytea)', [
        id,
        Buffer.from(key),
      ]);
      return { name, key, weight, taskIds: [] };
    },

    async newTask(project: FairProject): Promise<string> {
      const body = { prompt: 'A hill at dusk', model: 'animatic', resolution: '480p', duration: 1 };
      const { task_id: taskId } = await ask<{ task_id: string }>('POST', '/v1/videos/text-to-video', project.key, body);
      project.taskIds.push(taskId);
      return taskId;
    },

    async positionOf(project: FairProject, taskId: string): Promise<number | null> {
      const task = await ask<{ queue_position: number | null }>('GET', `/v1/videos/${taskId}`, project.key);
      return task.queue_position;
    },
  };
}

export type Callers = ReturnType<typeof createCallers>;
