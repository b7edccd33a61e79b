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
import type { Job } from './read-jobs.ts';
import type { BatchReport, Ending } from './reports/batch-report.ts';
import { readPicture } from './request-options.ts';
import { checkOutput, saveVideo } from './save-video.ts';
import { describeError } from './terminal/describe-error.ts';

/** What a job of a batch is run with. */
export interface JobRun {
  kinora: Kinora;
  /** Where the video goes. */
  path: string;
  /** Cancels. */
  signal: AbortSignal;
  /** The idempotency keys under which a task had been made before. */
  replayed: ReadonlySet<string>;
  report: Pick<BatchReport, 'progress' | 'warn'>;
}

const pauseWithoutAdviceSeconds = 5;

/** Runs one job to its end, whatever that is; throws only what concerns every job: no access, or no service. */
export async function runJob(job: Job, run: JobRun): Promise<Ending> {
  const { kinora, path, signal, report } = run;
  let latest: Task | null = null;
  const onProgress = (task: Task) => {
    for (const { message } of task.id === latest?.id ? [] : task.warnings) report.warn(job, message);
    latest = task;
    report.progress(job, task);
  };
  for (let time = 1; ; time++) {
    // The first time the key is the line's own. What an earlier run left behind as failed or cancelled is made anew under the next.
    const idempotencyKey = time === 1 ? job.idempotencyKey : `${job.idempotencyKey}-${time}`;
    try {
      await checkOutput(path, { isForced: true });
      const task = await patiently({ signal, onLimit: (message) => report.warn(job, message) }, async () => {
        const task = await kinora.videos.run(await requestOf(job), { idempotencyKey, signal, onProgress });
        await saveVideo(kinora, task.id, path);
        return task;
      });
      return { outcome: 'completed', path, task };
    } catch (error) {
      if (!signal.aborted && isFromBefore(error, run.replayed.has(idempotencyKey))) continue;
      if (isAboutEveryJob(error)) throw error;
      const outcome = error instanceof TaskCancelledError ? 'cancelled' : 'failed';
      const task = (error instanceof KinoraError ? error.task : null) ?? latest;
      return { outcome, reason: describeError(error), ...(task ? { task } : {}) };
    }
  }
}

async function requestOf({ fields, picture }: Job): Promise<TextToVideo | ImageToVideo> {
  const request = { ...fields, ...(picture === undefined ? {} : { image: await readPicture(picture) }) };
  return request as TextToVideo; // the service checks the fields, and names what is wrong
}

/** A limit is no failure: a batch has time. The same key makes it the same task, however often it is asked for. */
async function patiently<Result>(
  { signal, onLimit }: { signal: AbortSignal; onLimit: (message: string) => void },
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      onLimit(error.message);
      await pause((error.retryAfterSeconds ?? pauseWithoutAdviceSeconds) * 1000, null, { signal }).catch(() => {
        throw new TaskCancelledError(null, signal.reason);
      });
    }
  }
}

/** It ended badly in an earlier run, was deleted since, or was made from another picture of the same name. */
function isFromBefore(error: unknown, isReplayed: boolean): boolean {
  if (error instanceof TaskFailedError || error instanceof TaskCancelledError) return isReplayed;
  return error instanceof GoneError || error instanceof IdempotencyError;
}

function isAboutEveryJob(error: unknown): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionError || error instanceof ConnectionError;
}
