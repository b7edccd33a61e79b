import { randomUUID } from 'node:crypto';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { type ApiClient, unlessBroken } from '@kinora/stack/harness/api-client';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { pause } from '@kinora/stack/harness/pause';
import { northEndpoints, northModel, slotsPerEndpoint } from '../north-pool.ts';
import type { TaskEvidence } from './freeze-evidence.ts';
import { isFrozen } from './freeze-faults.ts';
import type { FreezeWorld } from './freeze-world.ts';

const patienceMilliseconds = 120_000;
/** More than the tasks that are usually open at once, so that two of them rarely ask for the same picture. */
const pictures = 12;
/** Long enough to be rendering when a fault comes; all slots together keep two cores busy for some seconds. */
const longSeconds = 4;
export const allSlots = northEndpoints.length * slotsPerEndpoint;

/** Returns the copies of the API that are not frozen. */
export function livelyApis(world: FreezeWorld): ApiClient[] {
  return world.apis.filter((_, copy) => !isFrozen(world, 'api', copy));
}

/** Creates a task as a persistent client does, who repeats the request with the same key until it is accepted. */
export async function createTask(world: FreezeWorld, durationSeconds: number): Promise<TaskEvidence> {
  const { tasks } = world.evidence;
  const seed = tasks.length % pictures;
  const task: TaskEvidence = {
    taskId: '',
    picture: `picture ${seed} of ${durationSeconds} s`,
    cancel: 'none',
    status: null,
    code: null,
    sha256: null,
    objectKeys: [],
  };
  tasks.push(task);
  const body = {
    prompt: 'A hill at dusk',
    model: northModel,
    resolution: '480p',
    aspect_ratio: '1:1',
    duration: durationSeconds,
    seed,
  };
  const headers = { 'idempotency-key': randomUUID() };
  const deadline = Date.now() + patienceMilliseconds;
  for (let tries = tasks.length; Date.now() < deadline; tries += 1) {
    const apis = livelyApis(world);
    const response = await unlessBroken(
      apis[tries % apis.length]?.post('/v1/videos/text-to-video', body, headers) ?? Promise.resolve(null),
    );
    if (response?.status === 200) {
      task.taskId = response.body.task_id;
      return task;
    }
    if (response && ![409, 429, 503].includes(response.status))
      throw new Error(`a task was refused with ${response.status}: ${response.text}`);
    await pause(300);
  }
  throw new Error(`a task was not accepted within ${patienceMilliseconds / 1000} s`);
}

/** Creates one long task per slot, and waits until the engines render them all, or a while if they cannot. */
export async function fillSlots(world: FreezeWorld): Promise<void> {
  const created = await Promise.all(Array.from({ length: allSlots }, () => createTask(world, longSeconds)));
  const isSubmitted = ({ taskId }: TaskEvidence): boolean =>
    world.evidence.submits.some(({ jobId }) => jobId.startsWith(`${taskId}-`));
  await becomesTrueWithin(hangLimitMilliseconds, () => created.every(isSubmitted));
}

/** Cancels a task, and records whether the API confirms it. */
export async function cancelTask(world: FreezeWorld, task: TaskEvidence): Promise<void> {
  const [api] = livelyApis(world);
  if (!api) return;
  const response = await unlessBroken(api.post(`/v1/videos/${task.taskId}/cancel`));
  if (response === null) task.cancel = 'unknown';
  else if (response.status === 200) task.cancel = 'confirmed';
}
