import { OutputInvalid } from '../../errors.ts';
import type { JobState } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';
import { failureOfText, shortReason } from '../failure-of-text.ts';

export interface ComfyJob {
  /** `cancelled` for every version, although 0.7.0 reports an interrupted job as failed without an error. */
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** What the nodes wrote, by node; not checked yet. */
  outputs: Record<string, unknown>;
  failure: Extract<JobState, { state: 'failed' }> | null;
}

interface ComfyFile {
  filename: string;
  subfolder: string;
}

const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;

/** Parses what the server reports about one job. */
export function parseJob(json: unknown, promptId: string): ComfyJob {
  const job = fieldsOf(json);
  const status = statuses.find((known) => known === job['status']);
  if (job['id'] !== promptId || !status) throw new Error('the engine sent an unexpected response about a job');
  const outputs = isObject(job['outputs']) ? job['outputs'] : {};
  if (status !== 'failed') return { status, outputs, failure: null };
  const error = isObject(job['execution_error']) ? job['execution_error'] : null;
  if (!error && wasInterrupted(job['execution_status'])) return { status: 'cancelled', outputs, failure: null };
  const words = [error?.['exception_type'], error?.['exception_message']].filter((word) => typeof word === 'string');
  const text = words.join(': ').trim();
  return { status, outputs, failure: { state: 'failed', code: failureOfText(text), reason: shortReason(text) } };
}

function wasInterrupted(executionStatus: unknown): boolean {
  const messages = isObject(executionStatus) ? executionStatus['messages'] : null;
  return (
    Array.isArray(messages) && messages.some((entry) => Array.isArray(entry) && entry[0] === 'execution_interrupted')
  );
}

/**
 * The one file that the saving nodes wrote for a job: only its prefix shows whose it is. A graph without a bound prefix
 * would get another task's file from the cache.
 */
export function parseOutput(outputs: ComfyJob['outputs'], nodes: readonly string[], filenamePrefix: string): ComfyFile {
  const files = nodes
    .map((node) => (Object.hasOwn(outputs, node) ? outputs[node] : null))
    .flatMap((output) => (isObject(output) ? Object.values(output) : []))
    .flatMap((entries) => (Array.isArray(entries) ? entries : []))
    .flatMap((entry: unknown) => (isObject(entry) && entry['type'] === 'output' ? [entry] : []));
  const [file, ...others] = files;
  if (!file || others.length > 0) throw new OutputInvalid(`the engine wrote ${files.length} files instead of one`);
  const { filename, subfolder } = file;
  if (!isName(filename) || typeof subfolder !== 'string') throw new OutputInvalid('the engine named no file');
  if (!`${subfolder.replaceAll('\\', '/')}/${filename}`.startsWith(filenamePrefix))
    throw new OutputInvalid('the engine named a file that is not of this job');
  return { filename, subfolder };
}

/** Returns the name of an uploaded image for use in a graph. */
export function parseUpload(json: unknown): string {
  const { name, subfolder } = fieldsOf(json);
  if (!isName(name) || typeof subfolder !== 'string') throw new Error('the engine did not name the uploaded image');
  return subfolder === '' ? name : `${subfolder}/${name}`;
}

/** Returns the version of the server. */
export function parseVersion(json: unknown): string {
  const { system } = fieldsOf(json);
  const version = isObject(system) ? system['comfyui_version'] : null;
  if (typeof version !== 'string' || version === '') throw new Error('the engine does not say that it is ComfyUI');
  return version.slice(0, 40);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 255;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
