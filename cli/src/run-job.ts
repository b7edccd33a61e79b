import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AuthenticationError,
  ConnectionError,
  GoneError,
  IdempotencyError,
  type ImageToVideo,
  type Kinora,
  KinoraError,
  PermissionError,
  RateLimitError,
  type Task,
  TaskCancelledError,
  TaskFailedError,
  type TextToVideo,
} from '@kinora/sdk';
import { checkOutput, makeFolder } from './check-output.ts';
import type { Job } from './read-jobs.ts';
import { readPicture } from './read-picture.ts';
import type { BatchReport, Ending } from './reports/batch-report.ts';
import { removeLeftovers, saveFile } from './save-output.ts';

/** What a job of a batch needs to run. */
export interface JobRun {
  kinora: Kinora;
  /** The path of the video file. */
  path: string;
  /** Cancels the job's task. */
  signal: AbortSignal;
  /** The idempotency keys whose task an earlier request had already created. */
  replayed: ReadonlySet<string>;
  report: Pick<BatchReport, 'progress' | 'warn'>;
  /** When the batch began. */
  startedAt: Date;
}

const defaultRetrySeconds = 5;

/** Runs one job and returns how it ended. Throws only errors that affect every job: no access, or no service. */
export async function runJob(job: Job, run: JobRun): Promise<Ending> {
  const { kinora, path, signal, report } = run;
  let latest: Task | null = null;
  const onProgress = (task: Task) => {
    for (const { message } of task.id === latest?.id ? [] : task.warnings) report.warn(job, message);
    latest = task;
    report.progress(job, task);
  };
  for (let keyNumber = 1; ; keyNumber++) {
    // If an earlier run left a failed or cancelled task under the line's own key, the next key makes a new task.
    const idempotencyKey = keyNumber === 1 ? job.idempotencyKey : `${job.idempotencyKey}-${keyNumber}`;
    try {
      await makeFolder(dirname(path));
      await checkOutput(path, { isForced: true });
      const task = await retryWhileLimited({ signal, onLimit: (message) => report.warn(job, message) }, async () => {
        const task = await kinora.videos.run(await requestOf(job), { idempotencyKey, signal, onProgress });
        await saveFile(kinora, task.id, path);
        return task;
      });
      await removeLeftovers(path, run.startedAt);
      return { outcome: 'completed', path, task };
    } catch (error) {
      if (!signal.aborted && isFromEarlierRun(error, run.replayed.has(idempotencyKey))) continue;
      const task = (error instanceof KinoraError ? error.task : null) ?? latest;
      // A download that breaks off every time concerns one file. If the service is gone, the next create finds out.
      const isOfDownload = error instanceof ConnectionError && task?.is_final === true;
      if (affectsEveryJob(error) && !isOfDownload) throw error;
      const outcome = error instanceof TaskCancelledError ? 'cancelled' : 'failed';
      return { outcome, error, ...(task ? { task } : {}) };
    }
  }
}

async function requestOf({ fields, picture }: Job): Promise<TextToVideo | ImageToVideo> {
  const request = { ...fields, ...(picture === undefined ? {} : { image: await readPicture(picture) }) };
  return request as TextToVideo; // the service validates the fields
}

/** Waits and retries if a limit is reached, because a batch has time. The same key returns the same task each time. */
async function retryWhileLimited<Result>(
  { signal, onLimit }: { signal: AbortSignal; onLimit: (message: string) => void },
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      onLimit(error.message);
      await pause((error.retryAfterSeconds ?? defaultRetrySeconds) * 1000, null, { signal }).catch(() => {
        throw new TaskCancelledError(null, signal.reason);
      });
    }
  }
}

/** Whether the key's task is unusable: failed, cancelled, deleted, or for another image of the same name. */
function isFromEarlierRun(error: unknown, isReplayed: boolean): boolean {
  if (error instanceof TaskFailedError || error instanceof TaskCancelledError) return isReplayed;
  return error instanceof GoneError || error instanceof IdempotencyError;
}

function affectsEveryJob(error: unknown): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionError || error instanceof ConnectionError;
}
