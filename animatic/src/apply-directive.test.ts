import { readdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createAnimaticJobs } from './animatic-jobs.ts';
import type { JobDirective } from './job-directive.ts';
import { type JobInput, parseJobInput } from './job-input.ts';
import { createLog } from './log.ts';

const plain: JobInput = { prompt: '', seed: 1, width: 16, height: 16, fps: 1, frameCount: 4, image: null };
let root: string;

beforeEach(async () => {
  root = temporaryFolder('apply-directive', onTestFinished);
});

/** Creates a job table with one slot whose renders succeed at once. */
function createTable() {
  let drawn = 0;
  const jobs = createAnimaticJobs({
    render: async (_input, { outputPath }) => {
      drawn += 1;
      await writeFile(outputPath, 'a video');
    },
    log: createLog({ level: 'silent' }),
    root,
    slots: 1,
  });
  const start = (jobId: string, directive: JobDirective) => jobs.start(jobId, { ...plain, directive });
  return { jobs, start, drawn: () => drawn };
}

test('a delayed job makes no progress during its delay, and is then drawn', async () => {
  const { jobs, start, drawn } = createTable();
  // oxlint-disable-next-line kinora/no-fixed-sleep -- of this process, like the longer delay of the job: a busy machine delays both
  const drawnDuringDelay = pause(250).then(() => drawn());
  expect(start('a', { delaySeconds: 0.3, outcome: 'draw' })).toBe('accepted');
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 0 });
  expect(start('b', { delaySeconds: 0, outcome: 'draw' })).toBe('busy');
  await expect.poll(() => jobs.find('a')?.state).toBe('succeeded');
  expect(await drawnDuringDelay).toBe(0);
  expect(drawn()).toBe(1);
});

test('a job fails with the code of its directive without being drawn, and frees its slot', async () => {
  const { jobs, start, drawn } = createTable();
  start('a', { delaySeconds: 0, outcome: 'engine_out_of_memory' });
  await expect.poll(() => jobs.find('a')).toMatchObject({ state: 'failed', code: 'engine_out_of_memory' });
  expect(drawn()).toBe(0);
  expect(jobs.counts().running).toBe(0);
});

test('a stalled job holds its slot without progress until it is cancelled', async () => {
  const { jobs, start, drawn } = createTable();
  start('a', { delaySeconds: 0, outcome: 'stall' });
  await expect.poll(() => readdir(root)).toHaveLength(1);
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 0 });
  expect(start('b', { delaySeconds: 0, outcome: 'draw' })).toBe('busy');
  await jobs.remove('a');
  expect(jobs.find('a')).toBeNull();
  expect(start('b', { delaySeconds: 0, outcome: 'draw' })).toBe('accepted');
  await expect.poll(() => jobs.find('b')?.state).toBe('succeeded');
  expect(drawn()).toBe(1);
});

test('a lost job becomes unknown: its files are deleted, its slot is free, and its id cannot be used again', async () => {
  const { jobs, start, drawn } = createTable();
  start('a', { delaySeconds: 0.05, outcome: 'lose' });
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 0 });
  await expect.poll(() => jobs.find('a')).toBeNull();
  await expect.poll(() => readdir(root)).toEqual([]);
  expect(jobs.counts().running).toBe(0);
  expect(start('a', { delaySeconds: 0, outcome: 'draw' })).toBe('removed');
  expect(drawn()).toBe(0);
});

test('cancelling a job ends its delay', async () => {
  const { jobs, start } = createTable();
  start('a', { delaySeconds: 600, outcome: 'draw' });
  await jobs.remove('a');
  expect(jobs.counts().running).toBe(0);
});

test('a submitted job may have a directive, and an invalid directive is rejected', () => {
  const body = { ...plain, negativePrompt: null };
  expect(parseJobInput(body)).toEqual({ input: plain });
  const directive: JobDirective = { delaySeconds: 600, outcome: 'engine_lost' };
  expect(parseJobInput({ ...body, directive })).toEqual({ input: { ...plain, directive } });
  for (const wrong of [
    null,
    'stall',
    {},
    { outcome: 'draw' },
    { delaySeconds: 601, outcome: 'draw' },
    { delaySeconds: -1, outcome: 'draw' },
    { delaySeconds: Number.NaN, outcome: 'draw' },
    { delaySeconds: 1, outcome: 'storage_failed' },
    { delaySeconds: 1 },
  ]) {
    expect(parseJobInput({ ...body, directive: wrong })).toHaveProperty('problem');
  }
});
