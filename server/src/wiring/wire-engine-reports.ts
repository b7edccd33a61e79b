import type { Readable } from 'node:stream';
import { createConcurrencyLimit } from '../domain/concurrency-limit.ts';
import { isAttemptFailureCode, isRejectionCode } from '../domain/failure.ts';
import { uuidFromId } from '../domain/id.ts';
import { limits } from '../domain/limits.ts';
import { rawKey } from '../domain/object-key.ts';
import { readCogCallback } from '../engines/cog/cog-callback.ts';
import type { CogReports } from '../engines/cog/cog-engine.ts';
import { fetchNamedOutput } from '../engines/fetch-named-output.ts';
import { type AttemptName, createEngineCallbackTokens } from '../operations/attempts/engine-callback-tokens.ts';
import { type CallbackOutcome, handleEngineCallback } from '../operations/attempts/handle-engine-callback.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import type { Storage } from '../storage/storage.ts';
import type { Foundation } from './foundation.ts';

interface Parts extends Pick<Foundation, 'config' | 'db'> {
  storage: Storage;
}

/** The address of an engine, as the operator configured it. */
export interface EngineAddress {
  url: string;
  token: string | null;
}

/** Gives the Cog engine access to the reports and outputs that its jobs sent by callback. */
export function wireEngineReports({ config, db, storage }: Parts): CogReports {
  const tokens = createEngineCallbackTokens(config.KINORA_SECRET_KEYS);
  return {
    callbackUrlFor: (jobId) => `${config.KINORA_ENGINE_CALLBACK_URL}/engine-callbacks/${tokens.sign(attemptOf(jobId))}`,

    async find(jobId) {
      const { taskId, attempt } = attemptOf(jobId);
      const report = await db.engineReports.find(taskId, attempt);
      // A crash of Postgres empties the unlogged reports, but a stored output alone means that the job succeeded.
      if (!report) return (await storage.head(rawKey(taskId, attempt))) ? { state: 'succeeded' } : null;
      const { status, progress, code, reason, heardAt } = report;
      switch (status) {
        case 'running':
          return { state: 'running', progress, heardAt };
        case 'failed':
          return {
            state: 'failed',
            code: isAttemptFailureCode(code) || isRejectionCode(code) ? code : 'engine_crashed',
            reason: reason ?? 'the engine gave no reason',
          };
        default:
          return { state: status };
      }
    },

    read: (jobId) => {
      const { taskId, attempt } = attemptOf(jobId);
      return storage.read(rawKey(taskId, attempt));
    },

    // The object stays: it belongs to the attempt, and the worker that finishes the task deletes it.
    forget: (jobId) => {
      const { taskId, attempt } = attemptOf(jobId);
      return db.engineReports.forget(taskId, attempt);
    },
  };
}

/** Creates the private port's handler for engine callbacks. */
export function wireEngineCallbacks(
  { config, db, storage, clock }: Parts & Pick<Foundation, 'clock'>,
  fetcher: GuardedFetcher,
  addressOf: (endpointId: string) => EngineAddress | null,
): (token: string, body: Readable) => Promise<CallbackOutcome> {
  const parts = {
    db,
    storage,
    clock,
    tokens: createEngineCallbackTokens(config.KINORA_SECRET_KEYS),
    readCallback: readCogCallback,
    fetchOutput: (endpointId: string, url: string) => fetchNamedOutput({ engine: addressOf(endpointId), fetcher }, url),
    uploadLimit: createConcurrencyLimit(limits.engineUploads),
  };
  return (token, body) => handleEngineCallback(parts, token, body);
}

/** Returns the attempt of a job. The job's id is made of the task's id and the attempt's number. */
function attemptOf(jobId: string): AttemptName {
  const [, taskId = '', attempt = ''] = /^(task_[0-9a-z]{26})-([1-9]\d{0,5})$/.exec(jobId) ?? [];
  if (uuidFromId('task', taskId) === null) throw new TypeError('not the id of one of our jobs');
  return { taskId, attempt: Number(attempt) };
}
