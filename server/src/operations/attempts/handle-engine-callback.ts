import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { EngineReport } from '../../db/attempts/engine-report-table.ts';
import type { Database, Tables } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ConcurrencyLimit } from '../../domain/concurrency-limit.ts';
import { rawKey } from '../../domain/object-key.ts';
import { maximumRawBytes } from '../../domain/raw-output.ts';
import type { Task } from '../../domain/task.ts';
import type { CallbackReport, ReadCallback } from '../../engines/engine-callback.ts';
import { OutputInvalid } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { BodyTooLarge, boundedBody } from './bounded-body.ts';
import type { AttemptName, EngineCallbackTokens } from './engine-callback-tokens.ts';

/** Well within the ten seconds of silence after which a job of an idle engine counts as lost. */
const signOfLifeMilliseconds = 3_000;
/** A sender that stops keeps its permit for a few seconds; one on the slowest line that we support gets through. */
const pace = { slackMilliseconds: 5_000, slowestBytesPerSecond: 1024 * 1024 };
const bodyLimits = { maxBytes: 512 * 1024 * 1024, ...pace };
const outputLimits = { maxBytes: maximumRawBytes, ...pace };

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
  tokens: EngineCallbackTokens;
  readCallback: ReadCallback;
  /** Fetches an output that an endpoint's engine named by its URL. Throws OutputInvalid if there certainly is none. */
  fetchOutput: (endpointId: string, url: string) => Promise<Readable>;
  /** Limits concurrent uploads, because each holds some megabytes; the others wait, and so do their senders. */
  uploadLimit: ConcurrencyLimit;
}

/** `unknown`: no attempt expects this callback. `ignored`: its job has ended or is no longer wanted. */
export type CallbackOutcome = 'taken' | 'ignored' | 'unknown' | 'malformed' | 'too-large';

/**
 * Handles an engine's report. An output is stored first, so an engine that gets "taken" may delete its copy. Throws if
 * Postgres or the store is unavailable: the engine should then repeat the callback.
 */
export async function handleEngineCallback(
  dependencies: Dependencies,
  token: string,
  body: Readable,
): Promise<CallbackOutcome> {
  const { db, tokens, readCallback, clock } = dependencies;
  const name = tokens.verify(token);
  const attempt = name && (await db.attempts.find(name.taskId, name.attempt));
  if (!name || !attempt) return 'unknown';
  if (!(await isOpen(db, name))) return 'ignored';
  const upload = beginUpload(dependencies, rawKey(name.taskId, name.attempt), attempt.endpointId);
  // An engine that sends a large output is idle: without signs of life its job would count as lost.
  const stopSigns = clock.every(signOfLifeMilliseconds, () => {
    void db.engineReports.write(name.taskId, name.attempt, running, clock.now()).catch(() => undefined);
  });
  try {
    const callback = await readCallback(boundedBody(clock, body, bodyLimits), (bytes) => upload.write(bytes));
    if (!callback) return 'malformed';
    if (callback.jobId !== attempt.engineJobId) return 'unknown';
    if (callback.report.state === 'running') {
      await db.engineReports.write(name.taskId, name.attempt, toStoredReport(callback.report), clock.now());
      return 'taken';
    }
    const report = await withOutput(dependencies, attempt.endpointId, callback.report, upload);
    return await end(dependencies, name, report, upload);
  } catch (error) {
    if (error instanceof BodyTooLarge) return 'too-large';
    throw error;
  } finally {
    stopSigns();
    await upload.close();
  }
}

/** Returns whether the attempt is in progress and its job has not ended: only then does a callback count. */
async function isOpen(tables: Tables, { taskId, attempt }: AttemptName): Promise<boolean> {
  const task = await tables.tasks.find(taskId);
  if (!task || !isInAttempt(task, attempt)) return false;
  const report = await tables.engineReports.find(taskId, attempt);
  return report === null || report.status === 'running';
}

function isInAttempt(task: Task, attempt: number): boolean {
  return task.status === 'in_progress' && task.attempt === attempt;
}

/** Fetches an output that the engine only named by its URL, and turns an invalid one into a failure. */
async function withOutput(
  { fetchOutput, clock }: Dependencies,
  endpointId: string,
  report: CallbackReport,
  upload: Upload,
): Promise<CallbackReport> {
  if (report.state !== 'succeeded' || report.output === 'passed-on') return report;
  await upload.begin(); // before the fetch, because the fetched bytes may be held in memory
  try {
    const output = await fetchOutput(endpointId, report.output.url);
    try {
      for await (const chunk of boundedBody(clock, output, outputLimits)) await upload.write(chunk);
    } finally {
      output.destroy(); // otherwise one that is too slow would go on for long
    }
    return report;
  } catch (error) {
    if (error instanceof OutputInvalid) return { state: 'failed', code: 'output_invalid', reason: error.message };
    throw error;
  }
}

/** Records the job's end once. Of two callbacks at once one throws; its repetition finds the other's report. */
async function end(
  { db, storage, clock }: Dependencies,
  name: AttemptName,
  report: CallbackReport,
  upload: Upload,
): Promise<CallbackOutcome> {
  const { taskId, attempt } = name;
  const key = rawKey(taskId, attempt);
  const outcome = await db.transaction(async (tables): Promise<CallbackOutcome> => {
    if (!(await tables.engineReports.lock(taskId, attempt)))
      throw new Error('another callback ends this job right now');
    if (!(await isOpen(tables, name))) return 'ignored';
    // If there is an object but no report, the process that stored it died, or Postgres did. The first output counts.
    const isStored = (await storage.head(key)) !== null;
    if (report.state === 'succeeded' && !isStored) await upload.finish();
    await tables.engineReports.write(taskId, attempt, isStored ? succeeded : toStoredReport(report), clock.now());
    return 'taken';
  });
  // If the task ended meanwhile, no worker fetches it. A missing row says nothing: the database may be an older copy.
  const task = await db.tasks.find(taskId);
  if (report.state === 'succeeded' && task && !isInAttempt(task, attempt)) await storage.delete([key]);
  return outcome;
}

const running: EngineReport = { status: 'running', progress: null, code: null, reason: null };
const succeeded: EngineReport = { status: 'succeeded', progress: null, code: null, reason: null };

/** Returns a report as the database stores it. */
function toStoredReport(report: CallbackReport): EngineReport {
  switch (report.state) {
    case 'running':
      return { status: 'running', progress: report.progress, code: null, reason: null };
    case 'succeeded':
      return succeeded;
    case 'failed':
      return { status: 'failed', progress: null, code: report.code, reason: report.reason };
    case 'cancelled':
      return { status: 'cancelled', progress: null, code: null, reason: null };
  }
}

type Upload = ReturnType<typeof beginUpload>;

/** Prepares an upload that becomes visible when it is finished: only at its end is it known whether it counts. */
function beginUpload({ storage, uploadLimit }: Dependencies, key: string, endpointId: string) {
  const stream = new PassThrough();
  stream.on('error', () => undefined); // the same error rejects `storing`
  let storing: Promise<number> | null = null;
  let release: () => void = () => undefined;

  const begin = async (): Promise<void> => {
    if (storing) return;
    release = await uploadLimit.acquire(endpointId);
    storing = storage.putStream(key, stream, { contentType: 'video/mp4', maxBytes: maximumRawBytes });
    storing.catch(() => undefined); // handled where it is awaited below
  };

  return {
    begin,
    async write(bytes: Buffer): Promise<void> {
      await begin();
      // The store may fail or reach its limit before it has read everything; then the stream would never drain.
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), storing]);
    },
    async finish(): Promise<void> {
      if (!storing) throw new Error('there is nothing to store');
      stream.end();
      await storing;
    },
    /** Aborts the upload unless it is finished, and releases its permit. */
    async close(): Promise<void> {
      if (!stream.writableFinished) stream.destroy(new Error('the output does not count'));
      await storing?.catch(() => undefined);
      release();
    },
  };
}
