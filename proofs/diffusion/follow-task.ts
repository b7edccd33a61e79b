import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient, Task } from '@kinora/stack/harness/api-client';
import { pause } from '@kinora/stack/harness/pause';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import type { Blow, Sample, SeenTask } from './diffusion-evidence.ts';
import { type Recipe, requestOf, wantedOf } from './diffusion-models.ts';
import type { EngineProxy } from './engine-proxy.ts';
import { readFrames } from './read-frames.ts';
import { readStarts } from './read-starts.ts';

const lookMilliseconds = 100;

interface Parts {
  api: ApiClient;
  cog: RealEngine;
  proxy: EngineProxy;
  /** Where delivered files are put to be decoded. */
  folder: string;
}

export interface FollowedTask {
  taskId: string;
  /** Looks at the task until it is as wanted, is final, or patience ends; answers how it is then. */
  until(isSo: (task: Task) => boolean, patienceSeconds: number): Promise<Task>;
  /** Waits for its end and tells all that is known of it. `sinceMilliseconds`: from when its end is waited for. */
  end(sinceMilliseconds: number, patienceSeconds: number): Promise<SeenTask>;
}

/** Asks for a video and writes down how its task goes on. */
export async function followTask(
  { api, cog, proxy, folder }: Parts,
  { name, blow, recipe }: { name: string; blow: Blow; recipe: Recipe },
): Promise<FollowedTask> {
  const { task_id: taskId } = await api.create(requestOf(recipe));
  const samples: Sample[] = [];
  let progressAtBlow: number | null = null;

  async function until(isSo: (task: Task) => boolean, patienceSeconds: number): Promise<Task> {
    const deadline = Date.now() + patienceSeconds * 1000;
    for (;;) {
      const task = await api.read(taskId);
      if (task.status === 'in_progress')
        samples.push({ attempt: task.attempt, progress: task.progress, source: task.progress_source });
      if (isSo(task) || task.is_final || Date.now() > deadline) {
        // The first wait is for the moment of the blow.
        if (blow !== 'none' && !task.is_final) progressAtBlow ??= task.progress;
        return task;
      }
      await pause(lookMilliseconds);
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
        blow,
        recipe: `${recipe.model}, seed ${recipe.seed}, image ${recipe.image ?? 'none'}`,
        wanted: wantedOf(recipe),
        status,
        code: error?.code ?? null,
        attempts: attempts.map(({ outcome, takeovers }) => ({ outcome, takeovers })),
        said: video && {
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
        progressAtBlow,
        secondsToEnd,
      };
    },
  };
}
