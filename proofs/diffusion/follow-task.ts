import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient, Task } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import type { Disruption, ObservedTask, Sample } from './diffusion-evidence.ts';
import { type Recipe, requestOf, wantedOf } from './diffusion-models.ts';
import type { EngineProxy } from './engine-proxy.ts';
import { readFrames } from './read-frames.ts';
import { readStarts } from './read-starts.ts';

const pollMilliseconds = 100;

interface Parts {
  api: ApiClient;
  cog: RealEngine;
  proxy: EngineProxy;
  /** The folder for downloaded files, which the proof decodes. */
  folder: string;
}

export interface FollowedTask {
  taskId: string;
  /** Polls until `isSo` holds, the task is final, or the time limit is reached; returns the task as last read. */
  until(isSo: (task: Task) => boolean, patienceSeconds: number): Promise<Task>;
  /** Waits until the task is final and returns everything observed. `secondsToEnd` counts from `sinceMilliseconds`. */
  end(sinceMilliseconds: number, patienceSeconds: number): Promise<ObservedTask>;
}

/** Creates a task and records its progress. */
export async function followTask(
  { api, cog, proxy, folder }: Parts,
  { name, disruption, recipe }: { name: string; disruption: Disruption; recipe: Recipe },
): Promise<FollowedTask> {
  const { task_id: taskId } = await api.create(requestOf(recipe));
  const samples: Sample[] = [];
  let progressAtDisruption: number | null = null;

  async function until(isSo: (task: Task) => boolean, patienceSeconds: number): Promise<Task> {
    const deadline = Date.now() + patienceSeconds * 1000;
    for (;;) {
      const task = await api.read(taskId);
      if (task.status === 'in_progress')
        samples.push({ attempt: task.attempt, progress: task.progress, source: task.progress_source });
      if (isSo(task) || task.is_final || Date.now() > deadline) {
        // The first call of `until` waits for the moment of the disruption.
        if (disruption !== 'none' && !task.is_final) progressAtDisruption ??= task.progress;
        return task;
      }
      await pause(pollMilliseconds);
    }
  }

  return {
    taskId,
    until,
    async end(sinceMilliseconds, patienceSeconds) {
      const { status, error, video } = await until(() => false, patienceSeconds);
      const secondsToEnd = (Date.now() - sinceMilliseconds) / 1000;
      const { attempts } = await api.timeline(taskId);
      const path = join(folder, `${taskId}.mp4`);
      if (video) await writeFile(path, await api.content(taskId));
      return {
        name,
        disruption,
        recipe: `${recipe.model}, seed ${recipe.seed}, image ${recipe.image ?? 'none'}`,
        wanted: wantedOf(recipe),
        status,
        code: error?.code ?? null,
        attempts: attempts.map(({ outcome, takeovers }) => ({ outcome, takeovers })),
        reported: video && {
          width: video.width,
          height: video.height,
          fps: video.fps,
          frameCount: video.frame_count,
          rendered: `${video.rendered.width}x${video.rendered.height}`,
        },
        file: video && (await readFrames(path)),
        samples,
        submits: proxy.submitsOf(taskId),
        starts: await readStarts(cog.logPath, taskId),
        progressAtDisruption,
        secondsToEnd,
      };
    },
  };
}
