import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import { createConcurrencyLimit, NoPermit } from '../domain/concurrency-limit.ts';
import type { mediaLimits } from '../domain/limits.ts';
import type { Step } from '../domain/step.ts';
import type { Task } from '../domain/task.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import type { Video } from '../media/video.ts';
import { type FinishDependencies, finishFile } from './finish-task.ts';
import { openOutput } from './store-raw.ts';

type FinishLimits = Pick<ReturnType<typeof mediaLimits>, 'finishing' | 'finishChildren'>;

/** Finishes a task whose slot is free, from the engine's output. Returns null if it has to be stored and queued instead. */
export type FinishHere = (
  task: Task,
  attempt: Attempt,
  engine: Engine,
  operation: EngineOperation,
) => Promise<Step | null>;

/**
 * Lets the worker that has rendered a task finish it too, while it has the capacity. That saves the way of the output
 * through the storage and a step of the workflow. The engine keeps the output until the end is committed, so a worker that
 * takes over fetches it again. Whatever fails here is done again on the way through the storage, which knows how to retry.
 */
export function createFinishHere(dependencies: FinishDependencies, limits: FinishLimits): FinishHere {
  const { withScratch, clock, log } = dependencies;
  const { finishing, finishChildren } = limits;
  const tasks = createConcurrencyLimit(finishing);
  const children = createConcurrencyLimit(finishChildren);
  return async (task, attempt, engine, operation) => {
    const signal = cancellationSignal();
    if (signal.aborted) return null;
    const leave = tasks.tryAcquire('tasks');
    if (leave instanceof NoPermit) return null;
    const video: Video = {
      conform: async (...parameters) => {
        const patience = AbortSignal.any([signal, clock.deadline(finishChildren.waitMilliseconds)]);
        const release = await children.acquire(task.projectId, { signal: patience });
        return dependencies.video.conform(...parameters).finally(release);
      },
    };
    const startedAt = clock.elapsed();
    try {
      return await withScratch(async (folder) => {
        const rawPath = join(folder, 'raw');
        const { body } = await openOutput(engine, operation);
        await pipeline(body, createWriteStream(rawPath));
        const findAttempt = async () => attempt;
        return finishFile({ ...dependencies, video }, task, { rawPath, folder, startedAt, findAttempt });
      });
    } catch (error) {
      log.info(
        { event: 'task.finish_queued', err: error, taskId: task.id, attempt: task.attempt },
        'task not finished by the worker that rendered it',
      );
      return null;
    } finally {
      leave();
    }
  };
}
