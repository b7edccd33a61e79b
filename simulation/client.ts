import { sql } from 'kysely';
import type { ProjectSettings } from '../server/src/db/access/project-table.ts';
import { toUuid } from '../server/src/db/connection/ids.ts';
import { unusedLimits } from '../server/src/domain/caller.fixture.ts';
import type { Caller } from '../server/src/domain/caller.ts';
import { plainGeneration } from '../server/src/domain/generation-request.fixture.ts';
import type { GenerationRequest } from '../server/src/domain/generation-request.ts';
import { newId } from '../server/src/domain/id.ts';
import type { TaskStatus } from '../server/src/domain/task.ts';
import { AppError } from '../server/src/errors.ts';
import { cancelTask } from '../server/src/operations/tasks/cancel-task.ts';
import { type CreatedTask, createTask } from '../server/src/operations/tasks/create-task.ts';
import { deleteTask } from '../server/src/operations/tasks/delete-task.ts';
import { createWebhookEndpoint } from '../server/src/operations/webhooks/create-webhook-endpoint.ts';
import type { Api } from './installation.ts';
import type { World } from './world.ts';

const hourMilliseconds = 3_600_000;
const lookEveryMilliseconds = 1_000;

/** A caller with a project of its own. It asks any API that is alive. */
export interface SimulatedClient {
  /** Creates a task. A create with a key is repeated until there is a response; null if there was none, or a refusal. */
  create(options?: { request?: Partial<GenerationRequest>; key?: string }): Promise<CreatedTask | null>;
  cancel(taskId: string): Promise<void>;
  delete(taskId: string): Promise<void>;
  addWebhook(): Promise<void>;
  /** Waits until the task has one of these statuses. */
  until(taskId: string, statuses: readonly TaskStatus[]): Promise<void>;
}

export async function createClient(world: World, settings: ProjectSettings = {}): Promise<SimulatedClient> {
  const { scheduler, visitor } = world;
  const { waitingLimit = unusedLimits.waitingLimit } = settings;
  const now = new Date(scheduler.milliseconds);
  const outside = world.postgres.databaseFor(scheduler, visitor, { offsetMilliseconds: 0 });
  const { id: projectId } = await outside.transaction(async (tables) => {
    const project = await tables.projects.insert('a project', now);
    await tables.projects.set(project.id, settings, now);
    return project;
  });
  const caller: Caller = {
    projectId,
    livemode: true,
    keyId: newId('key', now, projectId),
    scopes: ['videos:write'],
    expiresAt: null,
    isSuspended: false,
    limits: unusedLimits,
  };
  const clock = scheduler.clockOf(visitor);
  let turn = 0;
  /** Sends a request, and again if that does no harm, until there is a response. Throws if it is refused. */
  const ask = async <T>(isRepeatable: boolean, request: (api: Api) => Promise<T>): Promise<T | null> => {
    for (;;) {
      const apis = world.apis();
      turn += 1;
      const api = apis[turn % apis.length];
      if (api) {
        const died = scheduler.untilDead(api.process).then(() => null);
        const response = await Promise.race([request(api).then((value) => ({ value })), died]).catch(
          (error: unknown) => {
            if (isRefusal(error)) throw error;
            return null;
          },
        );
        if (response !== null) return response.value;
        if (!isRepeatable) return null;
      }
      await clock.wait(1_000);
    }
  };
  return {
    create: async ({ request = {}, key } = {}) => {
      const created = await ask(key !== undefined, (api) => {
        const scope = { projectId, livemode: true, route: 'POST /v1/videos/text-to-video', key: key ?? '' };
        const hashes = { requestSha256: Buffer.alloc(32, 1), imageSha256: null };
        return createTask(api, {
          caller,
          type: request.imageUrl === undefined ? 'text_to_video' : 'image_to_video',
          request: { ...plainGeneration, ...request },
          warnings: [],
          idempotency: key === undefined ? null : { scope, hashes, fileId: null },
        });
      }).catch(async (error: unknown) => {
        const { code } = error as AppError;
        const pool = request.model ?? null;
        world.refusals.push({ code, projectId, pool, waitingLimit, waiting: await waitingByPool() });
        return null;
      });
      if (created === null) return null;
      created.onSent();
      world.accepted.push({ taskId: created.taskId, key: key ?? null, projectId });
      return created;
    },
    async cancel(taskId) {
      await ask(true, (api) => cancelTask(api, taskId, caller)).catch(() => null);
    },
    async delete(taskId) {
      await ask(true, (api) => deleteTask(api, caller, taskId)).catch(() => null);
    },
    async addWebhook() {
      const endpoint = { url: 'https://receiver.example/hook', description: '', events: [] };
      await ask(true, (api) => createWebhookEndpoint(api, caller, endpoint));
    },
    async until(taskId, statuses) {
      for (let waited = 0; waited < hourMilliseconds; waited += lookEveryMilliseconds) {
        const task = await outside.tasks.find(taskId);
        if (!task || statuses.includes(task.status)) return;
        await clock.wait(lookEveryMilliseconds);
      }
    },
  };

  async function waitingByPool(): Promise<Record<string, number>> {
    const id = toUuid('proj', projectId);
    const { rows } = await sql<{ pool: string; waiting: number }>`
      select pool, waiting from pool_waiting where project_id = ${id} and livemode`.execute(world.postgres.judge);
    return Object.fromEntries(rows.map(({ pool, waiting }) => [pool, waiting]));
  }
}

/** Whether the API has refused a request, rather than been unable to serve it. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}
