import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Database, Tables } from '../../db/database.ts';
import type { EngineReport } from '../../db/engine-reports.ts';
import type { Clock } from '../../domain/clock.ts';
import { rawKey } from '../../domain/object-key.ts';
import { maximumRawBytes } from '../../domain/raw-output.ts';
import type { CallbackWord, ReadCallback } from '../../engines/engine-callback.ts';
import { OutputInvalid } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { BodyTooLarge, boundedBody } from './bounded-body.ts';
import type { AttemptName, EngineCallbackTokens } from './engine-callback-tokens.ts';
import type { Turns } from './turns.ts';

/** Well within the ten seconds of silence after which a job of an idle engine counts as lost. */
const signOfLifeMilliseconds = 3_000;
/** One that stops keeps its turn for a few seconds; one on the slowest line that we serve gets through. */
const pace = { slackMilliseconds: 5_000, slowestBytesPerSecond: 1024 * 1024 };
const bodyLimits = { maxBytes: 512 * 1024 * 1024, ...pace };
const outputLimits = { maxBytes: maximumRawBytes, ...pace };

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
  tokens: EngineCallbackTokens;
  readCallback: ReadCallback;
  /** The bytes at an address that the engine of an endpoint named. Throws OutputInvalid where there certainly are none for us. */
  fetchOutput: (endpointId: string, url: string) => Promise<Readable>;
  /** An upload holds some megabytes, so only so many run at once; the others wait, and their senders with them. */
  uploadTurns: Turns;
}

/** `unknown`: nobody here waits for this. `ignored`: the job it speaks of has ended or is no longer wanted. */
export type CallbackOutcome = 'taken' | 'ignored' | 'unknown' | 'malformed' | 'too-large';

/**
 * Takes what an engine says of a job of ours. An output lies in the store when this answers, so an engine that is told "taken"
 * may forget it. Throws when something of ours is away: then the engine should say it again.
 */
export async function takeEngineCallback(
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
  // An engine that hands a large output over, or waits for its turn to, has nothing left to do: without this it looks lost.
  const signs = setInterval(() => {
    void db.engineReports.write(name.taskId, name.attempt, running, clock.now()).catch(() => undefined);
  }, signOfLifeMilliseconds);
  try {
    const callback = await readCallback(boundedBody(body, bodyLimits), (bytes) => upload.write(bytes));
    if (!callback) return 'malformed';
    if (callback.jobId !== attempt.engineJobId) return 'unknown';
    if (callback.word.state === 'running') {
      await db.engineReports.write(name.taskId, name.attempt, reportOf(callback.word), clock.now());
      return 'taken';
    }
    const word = await withOutput(dependencies, attempt.endpointId, callback.word, upload);
    return await end(dependencies, name, word, upload);
  } catch (error) {
    if (error instanceof BodyTooLarge) return 'too-large';
    throw error;
  } finally {
    clearInterval(signs);
    await upload.close();
  }
}

/** Whether the attempt was begun, goes on, and its job has not ended: only then does an engine's word count. */
async function isOpen(tables: Tables, { taskId, attempt }: AttemptName): Promise<boolean> {
  if (!(await isWanted(tables, { taskId, attempt }))) return false;
  const report = await tables.engineReports.find(taskId, attempt);
  return report === null || report.status === 'running';
}

async function isWanted(tables: Tables, { taskId, attempt }: AttemptName): Promise<boolean> {
  const task = await tables.tasks.find(taskId);
  return task?.status === 'in_progress' && task.attempt === attempt;
}

/** Fetches an output that the engine only named. */
async function withOutput(
  { fetchOutput }: Dependencies,
  endpointId: string,
  word: CallbackWord,
  upload: Upload,
): Promise<CallbackWord> {
  if (word.state !== 'succeeded' || word.output === 'passed-on') return word;
  await upload.begin(); // first: what is fetched may be held in memory
  try {
    const output = await fetchOutput(endpointId, word.output.url);
    try {
      for await (const chunk of boundedBody(output, outputLimits)) await upload.write(chunk);
    } finally {
      output.destroy(); // one that is too slow would go on for long
    }
    return word;
  } catch (error) {
    if (error instanceof OutputInvalid) return { state: 'failed', code: 'output_invalid', reason: error.message };
    throw error;
  }
}

/** Notes how the job ended, once: of two callbacks at the same moment one is told to come again, and then finds the other's. */
async function end(
  { db, storage, clock }: Dependencies,
  name: AttemptName,
  word: CallbackWord,
  upload: Upload,
): Promise<CallbackOutcome> {
  const { taskId, attempt } = name;
  const key = rawKey(taskId, attempt);
  const outcome = await db.transaction(async (tables): Promise<CallbackOutcome> => {
    if (!(await tables.engineReports.lock(taskId, attempt)))
      throw new Error('another callback ends this job right now');
    if (!(await isOpen(tables, name))) return 'ignored';
    // An object without a report: the process that stored it died, or Postgres did. The first output stands.
    const isStored = (await storage.head(key)) !== null;
    if (word.state === 'succeeded' && !isStored) await upload.finish();
    await tables.engineReports.write(taskId, attempt, isStored ? succeeded : reportOf(word), clock.now());
    return 'taken';
  });
  // The task may have ended while the output was stored: then nobody will come for it.
  if (word.state === 'succeeded' && !(await isWanted(db, name))) await storage.delete([key]);
  return outcome;
}

const running: EngineReport = { status: 'running', progress: null, code: null, reason: null };
const succeeded: EngineReport = { status: 'succeeded', progress: null, code: null, reason: null };

function reportOf(word: CallbackWord): EngineReport {
  switch (word.state) {
    case 'running':
      return { status: 'running', progress: word.progress, code: null, reason: null };
    case 'succeeded':
      return succeeded;
    case 'failed':
      return { status: 'failed', progress: null, code: word.code, reason: word.reason };
    case 'cancelled':
      return { status: 'cancelled', progress: null, code: null, reason: null };
  }
}

type Upload = ReturnType<typeof beginUpload>;

/** An upload that exists for others only once it is finished, because whether an output counts is known at its end. */
function beginUpload({ storage, uploadTurns }: Dependencies, key: string, endpointId: string) {
  const stream = new PassThrough();
  stream.on('error', () => undefined); // it shows in what stores it
  let storing: Promise<number> | null = null;
  let endTurn: () => void = () => undefined;

  const begin = async (): Promise<void> => {
    if (storing) return;
    endTurn = await uploadTurns.take(endpointId); // an engine that hangs with one callback has no turn left for a second
    storing = storage.putStream(key, stream, { contentType: 'video/mp4', maxBytes: maximumRawBytes });
    storing.catch(() => undefined); // looked at below
  };

  return {
    begin,
    async write(bytes: Buffer): Promise<void> {
      await begin();
      // The store may fail or be full before it has read everything; a drain would then never come.
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), storing]);
    },
    async finish(): Promise<void> {
      if (!storing) throw new Error('there is nothing to store');
      stream.end();
      await storing;
    },
    /** Gives up what is not finished. */
    async close(): Promise<void> {
      if (!stream.writableFinished) stream.destroy(new Error('the output does not count'));
      await storing?.catch(() => undefined);
      endTurn();
    },
  };
}
