import { ApplicationFailure } from '@temporalio/common';
import type { Database } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Registry } from '../engines/registry.ts';
import type { Storage } from '../storage/storage.ts';
import type { EngineUses } from './engine-uses.ts';
import { leftMilliseconds, type OtherWorkers } from './other-workers.ts';
import { comparableRequest } from './prepare-render.ts';

interface Dependencies {
  db: Database;
  catalogue: () => Catalogue;
  registry: Registry;
  engineUses: EngineUses;
  storage: Storage;
}

/** Throws if this process lacks the engine or the model of a task's job and another process has it, to follow the job. */
export async function deferToOtherWorker(
  dependencies: Dependencies,
  elsewhere: OtherWorkers,
  taskId: string,
): Promise<void> {
  const { db, registry, engineUses, storage } = dependencies;
  const task = await db.tasks.find(taskId);
  const attempt = task?.status === 'in_progress' ? await db.attempts.find(taskId, task.attempt) : null;
  if (!task || !attempt) return;
  const engine = registry.find(attempt.endpointId)?.engine;
  const hasEngine = engine !== undefined && engineUses.isOpen(engine);
  // A job without a known id is identified by its request, which needs the model.
  const hasModel = attempt.operation !== null || comparableRequest(dependencies, task) !== null;
  if (hasEngine && hasModel) return;
  if (await storage.head(rawKey(taskId, attempt.attempt))) return; // the engine is not needed
  const isElsewhere = hasEngine
    ? await elsewhere.hasModel(taskId, task.model)
    : await elsewhere.hasEndpoint(taskId, attempt.endpointId);
  if (!isElsewhere) return;
  throw ApplicationFailure.create({
    message: 'the job was left to a worker whose models file has its endpoint and model',
    type: 'DeferredToOtherWorker',
    nextRetryDelay: leftMilliseconds,
  });
}
