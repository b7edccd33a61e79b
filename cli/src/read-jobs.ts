import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { dirname, extname, normalize, resolve } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { isAddress } from './read-picture.ts';
import { type Row, rowsOfCsv, rowsOfJsonLines } from './read-rows.ts';
import { oneLine } from './terminal/one-line.ts';

/** One job of a batch: one line of JSON or one record of CSV. */
export interface Job {
  /** The line number in the file, from 1. */
  line: number;
  /** The fields of the request, with the API's names. */
  fields: Record<string, unknown>;
  /** A URL, the id of an uploaded file, or the absolute path of a local file. */
  picture?: string;
  /** The path of the video, relative to the output folder. */
  output: string;
  /** Derived from the content of the line, so that the same line always means the same video. */
  idempotencyKey: string;
}

/** Reads the jobs of a batch: one JSON object per line, or CSV with a header row. Reports all problems together. */
export async function readJobs(path: string): Promise<Job[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read.`);
  });
  if (text.includes('\0')) throw new UsageError(`${path} is not a jobs file: it is not text.`);
  const rows = extname(path).toLowerCase() === '.csv' ? rowsOfCsv(text) : rowsOfJsonLines(text);
  const seen = new Map<string, number>();
  const outputs = new Set<string>();
  const jobs: Job[] = [];
  const problems: string[] = [];
  for (const row of rows) {
    const { job, problem } = await jobOf(row, dirname(path), seen);
    if (problem !== undefined) problems.push(`line ${row.line}: ${oneLine(problem)}`);
    else if (outputs.has(job.output))
      problems.push(`line ${row.line}: ${oneLine(job.output)} is also the output of another line`);
    else jobs.push(job);
    if (job) outputs.add(job.output);
  }
  if (problems.length > 0) throw new UsageError(`${path} has problems:`, problems);
  if (jobs.length === 0) throw new UsageError(`${path} contains no jobs.`);
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
  if (picture !== undefined && !isAddress(picture) && !(await exists(picture))) {
    return { problem: `the picture ${picture} cannot be read` };
  }
  const idempotencyKey = keyOf({ ...fields, ...(source === undefined ? {} : { image: source }) }, seen);
  const output = normalize(typeof named === 'string' && named !== '' ? named : nameFor(prompt, idempotencyKey));
  if (resolve('/a', output) === '/a' || !resolve('/a', output).startsWith('/a/')) {
    return { problem: `the output ${output} is outside the output folder` };
  }
  return { job: { line, fields, output, idempotencyKey, ...(picture === undefined ? {} : { picture }) } };
}

/** Hashes the fields in any order and the number of identical lines before, because two such lines mean two videos. */
function keyOf(fields: Record<string, unknown>, seen: Map<string, number>): string {
  const content = JSON.stringify(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
  const count = (seen.get(content) ?? 0) + 1;
  seen.set(content, count);
  return `batch-${createHash('sha256').update(`${content}\n${count}`).digest('hex').slice(0, 40)}`;
}

/** Returns the prompt's start and the key's end, in case two start the same: both depend only on the line. */
function nameFor(prompt: string, idempotencyKey: string): string {
  const words = prompt
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const beginning = [...words].slice(0, 32).join('').replace(/-$/, '');
  return `${beginning || 'video'}-${idempotencyKey.slice(-8)}.mp4`;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
