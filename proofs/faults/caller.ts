import { createHash } from 'node:crypto';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { type ApiClient, unlessBroken } from '@kinora/stack/harness/api-client';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { pause } from '@kinora/stack/harness/pause';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { northModel } from '../north-pool.ts';
import type { CallerTask } from './fault-evidence.ts';

const retryMilliseconds = 250;
const pollMilliseconds = 500;
const readsAtOnce = 8;

/** A caller who creates tasks, repeats requests until they get through, and notes all that it is told. */
export interface Caller {
  tasks: CallerTask[];
  /** Creates a task under one idempotency key. Returns null if `isOver` before there was a response. */
  create(isOver: () => boolean): Promise<CallerTask | null>;
  /** Reads a task until it is completed; returns false if it is missing, or if `isOver` before that. */
  untilCompleted(task: CallerTask, isOver: () => boolean): Promise<boolean>;
  /** Keeps `active` tasks active until `isOver`. */
  keepActive(active: number, isOver: () => boolean): Promise<void>;
  /** Reads all tasks until each has ended or is missing, or until they seem to hang. */
  settle(): Promise<void>;
  /** Downloads the video of every completed task. */
  download(): Promise<void>;
}

export function createCaller({ api }: { api: Pick<ApiClient, 'get' | 'post' | 'content'> }): Caller {
  const tasks: CallerTask[] = [];
  let asked = 0;

  const create: Caller['create'] = async (isOver) => {
    const askedAt = Date.now();
    asked += 1;
    const headers = { 'idempotency-key': `task-${asked}` };
    // Each prompt differs, so that no two tasks may have the same video.
    const fields = { model: northModel, prompt: `A hill at dusk, number ${asked}`, ...smallestVideo };
    while (!isOver()) {
      const response = await unlessBroken(api.post('/v1/videos/text-to-video', fields, headers));
      if (response?.status === 200) {
        const task: CallerTask = {
          taskId: response.body.task_id,
          askedAt,
          answeredAt: Date.now(),
          statuses: [],
          videoSha256: null,
        };
        tasks.push(task);
        return task;
      }
      await pause(retryMilliseconds);
    }
    return null;
  };

  /** Reads a task and returns its status; null if the response says nothing about it. */
  const read = async (task: CallerTask): Promise<string | null> => {
    const response = await unlessBroken(api.get(`/v1/videos/${task.taskId}`));
    if (response?.status !== 200 && response?.status !== 404) return null;
    const status = response.status === 404 ? 'missing' : response.body.status;
    if (task.statuses.at(-1)?.status !== status) task.statuses.push({ status, at: Date.now() });
    return status;
  };

  const untilCompleted: Caller['untilCompleted'] = async (task, isOver) => {
    while (!isOver()) {
      const status = await read(task);
      if (status === 'completed' || status === 'missing') return status === 'completed';
      await pause(pollMilliseconds);
    }
    return false;
  };

  return {
    tasks,
    create,
    untilCompleted,
    async keepActive(active, isOver) {
      const keepOne = async (): Promise<void> => {
        while (!isOver()) {
          const task = await create(isOver);
          if (task) await untilCompleted(task, isOver);
        }
      };
      await Promise.all(Array.from({ length: active }, keepOne));
    },
    async settle() {
      const deadline = Date.now() + hangLimitMilliseconds;
      for (;;) {
        let left = 0;
        await forEachConcurrently(readsAtOnce, tasks, async (task) => {
          const status = await read(task);
          if (status === null || status === 'queued' || status === 'in_progress') left += 1;
        });
        if (left === 0 || Date.now() > deadline) return;
        await pause(pollMilliseconds);
      }
    },
    async download() {
      const completed = tasks.filter(({ statuses }) => statuses.at(-1)?.status === 'completed');
      await forEachConcurrently(readsAtOnce, completed, async (task) => {
        const video = await api.content(task.taskId).catch(() => null);
        task.videoSha256 = video && createHash('sha256').update(video).digest('hex');
      });
    },
  };
}
