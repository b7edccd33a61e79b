import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { applyDirective } from './apply-directive.ts';
import type { JobInput } from './job-input.ts';
import type { Log } from './log.ts';
import type { RenderOptions } from './render-animatic.ts';
import { RenderFailed, type RenderFailureCode } from './render-failed.ts';

type AnimaticJobState =
  | { state: 'running'; progress: number }
  | { state: 'succeeded'; progress: 100; outputPath: string }
  | { state: 'failed'; progress: number; code: RenderFailureCode; reason: string };

export interface AnimaticJobs {
  /** Starts a job unless its id is known, was removed before, or no slot is free. */
  start(jobId: string, input: JobInput): 'accepted' | 'known' | 'removed' | 'busy';
  find(jobId: string): AnimaticJobState | null;
  /** Stops and deletes a job with its files; settles once its processes have ended. Its id cannot be started again. */
  remove(jobId: string): Promise<void>;
  /** Removes jobs that ended long ago and that the server never removed. */
  sweep(): Promise<void>;
  /** Removes every job. */
  close(): Promise<void>;
  counts(): { running: number; submits: number };
}

interface Job {
  state: AnimaticJobState;
  endedAt: number | null;
  stop: AbortController;
  /** Resolves when no process of the job is left; never rejects. */
  ended: Promise<void>;
  folder: string | null;
}

interface Parts {
  render: (input: JobInput, options: RenderOptions) => Promise<void>;
  log: Log;
  /** The folder that contains a folder for each job. */
  root: string;
  slots: number;
  now?: (() => number) | undefined;
}

const keepMilliseconds = 6 * 60 * 60 * 1000;
const maximumEndedJobs = 1000;
const maximumTombstones = 10_000;

/** Creates the jobs of one engine process. They are in memory only: when the process dies, its jobs are lost. */
export function createAnimaticJobs({ render, log, root, slots, now = Date.now }: Parts): AnimaticJobs {
  const jobs = new Map<string, Job>();
  const tombstones = new Set<string>();
  let running = 0;
  let submits = 0;

  async function run(jobId: string, job: Job, input: JobInput): Promise<void> {
    const startedAt = now();
    try {
      job.folder = await mkdtemp(join(root, 'job-'));
      job.stop.signal.throwIfAborted();
      if (input.directive && (await applyDirective(input.directive, job.stop.signal)) === 'forget') {
        log.info({ event: 'job.forgotten', jobId }, 'job forgotten, as its prompt forces');
        remove(jobId).catch((error: unknown) =>
          log.error({ event: 'files.delete_failed', jobId, err: error }, 'files of a job not deleted'),
        );
        return;
      }
      const outputPath = join(job.folder, 'output.mp4');
      await render(input, {
        folder: job.folder,
        outputPath,
        signal: job.stop.signal,
        onFrame: (done) => {
          // Progress stops at 99 until the file is complete: only a job that has succeeded shows 100.
          job.state = { state: 'running', progress: Math.min(99, Math.floor((100 * done) / input.frameCount)) };
        },
      });
      job.state = { state: 'succeeded', progress: 100, outputPath };
      const renderSeconds = (now() - startedAt) / 1000;
      log.info({ event: 'job.succeeded', jobId, frameCount: input.frameCount, renderSeconds }, 'job succeeded');
    } catch (error) {
      const { progress } = job.state;
      const known = error instanceof RenderFailed ? error : new RenderFailed('engine_crashed', 'the job failed', error);
      job.state = { state: 'failed', progress, code: known.code, reason: known.message };
      if (job.stop.signal.aborted) log.info({ event: 'job.stopped', jobId, progress }, 'job stopped');
      else if (input.directive?.outcome === known.code)
        log.info({ event: 'job.failed', jobId, code: known.code }, 'job failed, as its prompt forces');
      else log.error({ event: 'job.failed', jobId, progress, code: known.code, err: known }, 'job failed');
    } finally {
      job.endedAt = now();
      running -= 1;
    }
  }

  function bury(jobId: string): void {
    tombstones.add(jobId);
    // A set iterates in the order of insertion, so the first id is the oldest.
    for (const oldest of tombstones) {
      if (tombstones.size <= maximumTombstones) break;
      tombstones.delete(oldest);
    }
  }

  async function remove(jobId: string): Promise<void> {
    bury(jobId);
    const job = jobs.get(jobId);
    if (!job) return;
    job.stop.abort();
    await job.ended;
    jobs.delete(jobId); // before its files, so that no request finds a job without its output
    if (job.folder) await rm(job.folder, { recursive: true, force: true });
  }

  return {
    start(jobId, input) {
      if (jobs.has(jobId)) return 'known';
      if (tombstones.has(jobId)) return 'removed';
      if (running >= slots) return 'busy';
      running += 1;
      submits += 1;
      // Logged once per job that starts; the crash proof counts these lines.
      log.info({ event: 'job.accepted', jobId }, 'job accepted');
      const job: Job = {
        state: { state: 'running', progress: 0 },
        endedAt: null,
        stop: new AbortController(),
        ended: Promise.resolve(),
        folder: null,
      };
      jobs.set(jobId, job);
      job.ended = run(jobId, job, input);
      return 'accepted';
    },
    find: (jobId) => jobs.get(jobId)?.state ?? null,
    remove,
    async sweep() {
      const ended = [...jobs].filter(([, job]) => job.endedAt !== null);
      const excess = ended.length - maximumEndedJobs;
      const stale = ended.filter(([, job], index) => index < excess || now() - (job.endedAt ?? 0) > keepMilliseconds);
      for (const [jobId] of stale) {
        log.warn({ event: 'job.expired', jobId }, 'unfetched job deleted');
        await remove(jobId);
      }
    },
    async close() {
      await Promise.all([...jobs.keys()].map(remove));
    },
    counts: () => ({ running, submits }),
  };
}
