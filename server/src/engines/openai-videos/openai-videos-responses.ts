import type { EngineOperation, JobState } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';
import { failureOfText, shortReason } from '../failure-of-text.ts';

// Nothing that could lead out of `/v1/videos/`.
const idPattern = /^[A-Za-z0-9][\w.:-]{0,199}$/;
const maximumNames = 50;

/** The job that a submit made. */
export function parseCreated(answer: unknown): EngineOperation {
  const { id } = fieldsOf(answer);
  if (!isJobId(id)) throw new Error('the engine took a job and gave it no usable id');
  return { id };
}

/** The id of a job as it was stored with the attempt. */
export function jobIdOf(operation: EngineOperation): string {
  const id = operation['id'];
  if (!isJobId(id)) throw new Error('the operation names no job');
  return id;
}

/** What the engine says of a job; null for an answer that is not about this job. */
export function parseJob(answer: unknown, id: string, computesQueued: boolean): JobState | null {
  if (typeof answer !== 'object' || answer === null || !('id' in answer) || answer.id !== id) return null;
  const { status, progress, error } = fieldsOf(answer);
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
      throw new Error('the engine told an unknown status of a job');
  }
}

/** The jobs of a list that were made at a moment or later, by the engine's clock in whole seconds. */
export function parseJobsSince(answer: unknown, sinceSeconds: number): EngineOperation[] {
  return entriesOf(answer).flatMap(({ id, created_at: createdAt }) =>
    isJobId(id) && typeof createdAt === 'number' && createdAt >= Math.floor(sinceSeconds) ? [{ id }] : [],
  );
}

/** The models that the server serves, and how it signs them. */
export function parseModels(answer: unknown): { names: string[]; ownedBy: string | null } {
  const models = entriesOf(answer).slice(0, maximumNames);
  const ownedBy = models[0]?.['owned_by'];
  return {
    names: models.flatMap(({ id }) => (isShortText(id) ? [id] : [])),
    ownedBy: typeof ownedBy === 'string' ? ownedBy : null,
  };
}

export function parseVersion(answer: unknown): string {
  const version = typeof answer === 'object' && answer !== null && 'version' in answer ? answer.version : null;
  return isShortText(version) ? version : 'unknown';
}

/** The sum of gauges in Prometheus's text form; null when the first of them is not there or any is no count. */
export function sumGauges(text: string, names: readonly string[]): number | null {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^([\w:]+)(?:\{.*\})? +(\S+)/.exec(line) ?? [];
    return names.includes(name) ? [{ name, value: Number(value) }] : [];
  });
  const isUsable = samples.some(({ name }) => name === names[0]) && samples.every(({ value }) => value >= 0);
  return isUsable ? samples.reduce((sum, { value }) => sum + value, 0) : null;
}

/** These servers say 0 until the end, or 100 from the start: only what lies between tells something. */
function parseProgress(progress: unknown): number | null {
  return typeof progress === 'number' && progress > 0 && progress < 100 ? progress : null;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  return typeof message === 'string' ? message : '';
}

function entriesOf(answer: unknown): Record<string, unknown>[] {
  const { data } = fieldsOf(answer);
  if (!Array.isArray(data)) throw new Error('the engine sent an unexpected answer');
  return data.map(fieldsOf);
}

function isJobId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id);
}

function isShortText(text: unknown): text is string {
  return typeof text === 'string' && /^\P{C}{1,200}$/u.test(text); // without control characters: it is shown to operators
}
