import type { EngineOperation, EngineParameters, JobState } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';
import { failureOfText, shortReason } from '../failure-of-text.ts';

// An id must not lead out of `/v1/videos/`.
const idPattern = /^[A-Za-z0-9][\w.:-]{0,199}$/;
/** An endpoint has a handful of slots: among more jobs than this, ours cannot be identified. */
const maximumJobs = 100;
const maximumNames = 50;

/** Returns the job that a submit created. */
export function parseCreated(json: unknown): EngineOperation {
  const { id } = fieldsOf(json);
  if (!isJobId(id)) throw new Error('the engine took a job but gave it no usable id');
  return { id };
}

/** Returns the id of a job as it was stored with the attempt. */
export function jobIdOf(operation: EngineOperation): string {
  const id = operation['id'];
  if (!isJobId(id)) throw new Error('the operation names no job');
  return id;
}

/** Parses what the engine says about a job; returns null if the response is not about this job. */
export function parseJob(json: unknown, id: string, computesQueued: boolean): JobState | null {
  if (typeof json !== 'object' || json === null || !('id' in json) || json.id !== id) return null;
  const { status, progress, error } = fieldsOf(json);
  switch (status) {
    case 'queued':
      return computesQueued ? { state: 'running', progress: null } : { state: 'waiting' };
    case 'in_progress':
      return { state: 'running', progress: parseProgress(progress) };
    case 'completed':
      return { state: 'succeeded' };
    case 'failed': {
      const text = messageOf(error);
      return { state: 'failed', code: failureOfText(text), reason: shortReason(text) };
    }
    default:
      throw new Error('the engine reported an unknown status of a job');
  }
}

/** Listed jobs created at a moment or later, in whole seconds of the engine's clock, that may have these fields. */
export function parseJobsSince(json: unknown, sinceSeconds: number, fields: EngineParameters): EngineOperation[] {
  const jobs = entriesOf(json).flatMap((entry) => {
    const { id, created_at: createdAt } = entry;
    const isNew = typeof createdAt === 'number' && createdAt >= Math.floor(sinceSeconds);
    return isJobId(id) && isNew && mayBeOf(entry, fields) ? [{ id }] : [];
  });
  return jobs.slice(0, maximumJobs);
}

/** Whether what the engine repeats agrees with the fields. `seconds` is never submitted: servers list their default. */
function mayBeOf(entry: Record<string, unknown>, fields: EngineParameters): boolean {
  return (['prompt', 'size', 'seed'] as const).every((name) => {
    const [listed, submitted] = [entry[name] ?? null, fields[name]];
    if (listed === null || submitted === undefined) return true;
    return (typeof listed === 'string' || typeof listed === 'number') && String(listed) === String(submitted);
  });
}

/** Returns the models that the server serves, and who it says owns them. */
export function parseModels(json: unknown): { names: string[]; ownedBy: string | null } {
  const models = entriesOf(json).slice(0, maximumNames);
  const ownedBy = models[0]?.['owned_by'];
  return {
    names: models.flatMap(({ id }) => (isShortText(id) ? [id] : [])),
    ownedBy: typeof ownedBy === 'string' ? ownedBy : null,
  };
}

export function parseVersion(json: unknown): string {
  const version = typeof json === 'object' && json !== null && 'version' in json ? json.version : null;
  return isShortText(version) ? version : 'unknown';
}

/** The sum of gauges in Prometheus's format; null if the first is missing or any value is not a count. */
export function sumGauges(text: string, names: readonly string[]): number | null {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^([\w:]+)(?:\{.*\})? +(\S+)/.exec(line) ?? [];
    return names.includes(name) ? [{ name, value: Number(value) }] : [];
  });
  const isUsable = samples.some(({ name }) => name === names[0]) && samples.every(({ value }) => value >= 0);
  return isUsable ? samples.reduce((sum, { value }) => sum + value, 0) : null;
}

/** Returns the progress, if known: these servers report 0 until the end or 100 from the start, which means nothing. */
function parseProgress(progress: unknown): number | null {
  return typeof progress === 'number' && progress > 0 && progress < 100 ? progress : null;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  return typeof message === 'string' ? message : '';
}

function entriesOf(json: unknown): Record<string, unknown>[] {
  const { data } = fieldsOf(json);
  if (!Array.isArray(data)) throw new Error('the engine sent an unexpected response');
  return data.map(fieldsOf);
}

function isJobId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id);
}

function isShortText(text: unknown): text is string {
  return typeof text === 'string' && /^\P{C}{1,200}$/u.test(text); // without control characters: it is shown to operators
}
