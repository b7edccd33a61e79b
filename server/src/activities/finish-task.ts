import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import { framesFor } from '../domain/canvas.ts';
import { type Catalogue, modelOfTask } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import { contentKey, rawKey } from '../domain/object-key.ts';
import { sizeOf } from '../domain/size.ts';
import type { Step } from '../domain/step.ts';
import { isFinal, type Task, type TaskVideo } from '../domain/task.ts';
import { OutputInvalid } from '../errors.ts';
import type { ConformedVideo } from '../media/conform-video.ts';
import type { Video } from '../media/video.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import { completeTask } from '../operations/tasks/complete-task.ts';
import type { Storage } from '../storage/storage.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import type { Log } from '../telemetry/log.ts';
import { logSeconds } from '../telemetry/log-seconds.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import { retryAttempt } from './retry-attempt.ts';
import { whileAlive } from './while-alive.ts';

/** 1 MB, so that tasks that are finished at once need little memory. */
const smallFileBytes = 1024 * 1024;

export interface FinishDependencies {
  db: Database;
  catalogue: () => Catalogue;
  storage: Storage;
  video: Video;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
  withScratch: <T>(work: (folder: string) => Promise<T>) => Promise<T>;
}

export type FinishActivities = ReturnType<typeof finishActivities>;

export function finishActivities(dependencies: FinishDependencies) {
  const { db, storage, clock, log, withScratch } = dependencies;
  return {
    /** Conforms the raw object, makes its pictures, stores them and commits the end. May be repeated at any point. */
    async finish({ taskId }: { taskId: string }): Promise<Step> {
      const startedAt = clock.elapsed();
      return whileAlive(dependencies, async () => {
        const task = await db.tasks.find(taskId);
        if (!task) return 'ended';
        const raw = rawKey(taskId, task.attempt);
        if (isFinal(task.status)) {
          await storage.delete([raw]);
          return 'ended';
        }
        if (task.status === 'queued') return 'generate';
        const body = await storage.read(raw);
        if (!body) return 'follow';
        const step = await withScratch(async (folder) => {
          const rawPath = join(folder, 'raw');
          await pipeline(body, createWriteStream(rawPath));
          const findAttempt = () => db.attempts.find(task.id, task.attempt);
          return finishFile(dependencies, task, { rawPath, folder, startedAt, findAttempt });
        });
        await storage
          .delete([raw])
          .catch((error: unknown) =>
            log.warn({ event: 'output.delete_failed', err: error, taskId }, 'raw file not deleted'),
          );
        return step;
      });
    },
  };
}

interface RawFile {
  rawPath: string;
  /** The folder for the files that are made of it. */
  folder: string;
  /** By `Clock.elapsed`. */
  startedAt: number;
  /** Returns the attempt that has failed if the file is not usable. */
  findAttempt: () => Promise<Attempt | null>;
}

/** Makes the files of a task from the engine's output, stores them and commits the end of the task. */
export async function finishFile(
  dependencies: FinishDependencies,
  task: Task,
  { rawPath, folder, startedAt, findAttempt }: RawFile,
): Promise<Step> {
  const { storage, video, clock, log } = dependencies;
  try {
    const conformed = await video.conform(
      rawPath,
      targetOf(task, dependencies.catalogue()),
      folder,
      cancellationSignal(),
    );
    const files = await describeFiles(task, conformed);
    await Promise.all([
      storage.putFile(files.objectKey, conformed.videoPath, 'video/mp4'),
      storage.putFile(files.thumbnailKey, conformed.thumbnailPath, 'image/jpeg'),
      storage.putFile(files.spritesheetKey, conformed.spritesheetPath, 'image/jpeg'),
    ]);
    failpoint('after-upload');
    const isCompleted = await completeTask(dependencies, task.id, task.attempt, files);
    if (isCompleted) {
      const finishSeconds = logSeconds(clock.elapsed() - startedAt);
      const totalSeconds = logSeconds(clock.now().getTime() - task.createdAt.getTime());
      log.info(
        { event: 'task.completed', taskId: task.id, attempt: task.attempt, finishSeconds, totalSeconds },
        'task completed',
      );
    }
    return isCompleted ? 'ended' : nextWorkflowStep(dependencies, task.id);
  } catch (error) {
    if (!(error instanceof OutputInvalid)) throw error;
    log.warn(
      { event: 'output.rejected', err: error, taskId: task.id, attempt: task.attempt },
      'engine output not usable',
    );
    const attempt = await findAttempt();
    if (!attempt) return 'ended';
    return retryAttempt(dependencies, attempt, { outcome: 'output_invalid', stage: 'finishing', isJobOver: true });
  }
}

function targetOf(task: Task, catalogue: Catalogue) {
  const fps = modelOfTask(catalogue, task.model)?.fps ?? 24;
  const { width, height } = sizeOf(task.resolution, task.aspectRatio);
  return { width, height, fps, frameCount: framesFor(task.durationSeconds, fps, null) };
}

async function describeFiles(task: Task, conformed: ConformedVideo): Promise<TaskVideo> {
  const { properties, rendered } = conformed;
  const [video, thumbnail, spritesheet] = await Promise.all([
    describeFile(conformed.videoPath),
    describeFile(conformed.thumbnailPath),
    describeFile(conformed.spritesheetPath),
  ]);
  return {
    objectKey: contentKey(task.id, video.sha256, 'mp4'),
    thumbnailKey: contentKey(task.id, thumbnail.sha256, 'jpg'),
    spritesheetKey: contentKey(task.id, spritesheet.sha256, 'jpg'),
    width: properties.width,
    height: properties.height,
    rendered,
    fps: properties.fps,
    frameCount: properties.frameCount,
    durationSeconds: properties.durationSeconds,
    sizeBytes: video.sizeBytes,
    storedBytes: video.sizeBytes + thumbnail.sizeBytes + spritesheet.sizeBytes,
    sha256: video.sha256,
    hasAudio: properties.hasAudio,
  };
}

async function describeFile(path: string): Promise<{ sizeBytes: number; sha256: string }> {
  const sizeBytes = (await stat(path)).size;
  const hash = createHash('sha256');
  // A stream costs more than all the bytes of a small file.
  if (sizeBytes <= smallFileBytes) hash.update(await readFile(path));
  else await pipeline(createReadStream(path), hash);
  return { sizeBytes, sha256: hash.digest('hex') };
}
