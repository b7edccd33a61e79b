import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { dirname, extname, normalize, resolve } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { type Row, rowsOfCsv, rowsOfJsonLines } from './read-rows.ts';
import { isAddress } from './request-options.ts';
import { oneLine } from './terminal/one-line.ts';

/** One line of a batch. */
export interface Job {
  /** In the file, from 1. */
  line: number;
  /** The fields of a request, under the API's names. */
  fields: Record<string, unknown>;
  /** A URL, the id of an uploaded file, or a file here, named from where the file of jobs lies. */
  picture?: string;
  /** Where it is saved, below the output folder. */
  output: string;
  /** Made of the line itself: the same line is the same video, however often it is run. */
  idempotencyKey: string;
}

/** Reads the jobs of a batch, a JSON object a line or a CSV with a head. Every problem is told at once. */
export async function readJobs(path: string): Promise<Job[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read.`);
  });
  const rows = extname(path).toLowerCase() === '.csv' ? rowsOfCsv(text) : rowsOfJsonLines(text);
  const seen = new Map<string, number>();
  const outputs = new Set<string>();
  const jobs: Job[] = [];
  const problems: string[] = [];
  for (const row of rows) {
    const { job, problem } = await jobOf(row, dirname(path), seen);
    if (problem !== undefined) problems.push(`line ${row.line}: ${oneLine(problem)}`);
    else if (outputs.has(job.output))
      problems.push(`line ${row.line}: ${oneLine(job.output)} is the output of another line too`);
    else jobs.push(job);
    if (job) outputs.add(job.output);
  }
  if (problems.length > 0) throw new UsageError(`${path} has problems:\n  ${problems.join('\n  ')}`);
  if (jobs.length === 0) throw new UsageError(`${path} holds no jobs.`);
  return jobs;
}

type Read = { job: Job; problem?: undefined } | { job?: undefined; problem: string };

async function jobOf({ line, row, problem }: Row, folder: string, seen: Map<string, number>): Promise<Read> {
  if (row === undefined) return { problem: problem ?? 'not a job' };
  const { output: named, image, image_url: imageUrl, ...fields } = row;
  const prompt = fields['prompt'];
  if (typeof prompt !== 'string' || prompt.trim() === '') return { problem: 'no prompt' };
  const source = image ?? imageUrl ?? undefined;
  if (source !== undefined && typeof source !== 'string') return { problem: 'image must be a file or a URL' };
  const picture = source === undefined || isAddress(source) ? source : resolve(folder, source);
  if (picture !== undefined && !isAddress(picture) && !(await isThere(picture))) {
    return { problem: `the picture ${picture} cannot be read` };
  }
  const idempotencyKey = keyOf({ ...fields, ...(source === undefined ? {} : { image: source }) }, seen);
  const output = normalize(typeof named === 'string' && named !== '' ? named : nameFor(prompt, idempotencyKey));
  if (resolve('/a', output) === '/a' || !resolve('/a', output).startsWith('/a/')) {
    return { problem: `the output ${output} is not below the output folder` };
  }
  return { job: { line, fields, output, idempotencyKey, ...(picture === undefined ? {} : { picture }) } };
}

/** Two lines that say the same are two videos. The order of the fields, and where the line stands, say nothing. */
function keyOf(fields: Record<string, unknown>, seen: Map<string, number>): string {
  const content = JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
  const count = (seen.get(content) ?? 0) + 1;
  seen.set(content, count);
  return `batch-${createHash('sha256').update(`${content}\n${count}`).digest('hex').slice(0, 40)}`;
}

/** The beginning of the prompt for people; the end for the case that two begin the same. It moves with the line, as the key does. */
function nameFor(prompt: string, idempotencyKey: string): string {
  const words = prompt
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const beginning = [...words].slice(0, 32).join('').replace(/-$/, '');
  return `${beginning || 'video'}-${idempotencyKey.slice(-8)}.mp4`;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
