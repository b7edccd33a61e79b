import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createAnimaticJobs } from './animatic-jobs.ts';
import type { JobInput } from './job-input.ts';
import { createLog } from './log.ts';
import type { RenderOptions } from './render-animatic.ts';

const input: JobInput = { prompt: '', seed: 1, width: 16, height: 16, fps: 1, frameCount: 4, image: null };
const hour = 60 * 60 * 1000;
let root: string;

beforeEach(async () => {
  root = temporaryFolder('animatic-jobs', onTestFinished);
});

/** Creates a job table whose renders end when the test resolves or rejects them. */
function createTable({ slots = 1, now = Date.now } = {}) {
  const renders: { options: RenderOptions; end: PromiseWithResolvers<void> }[] = [];
  const jobs = createAnimaticJobs({
    render(_input, options) {
      const end = Promise.withResolvers<void>();
      renders.push({ options, end });
      return end.promise;
    },
    log: createLog({ level: 'silent' }),
    root,
    slots,
    now,
  });
  async function started(index: number) {
    await expect.poll(() => renders.length).toBeGreaterThan(index);
    const render = renders[index];
    if (!render) throw new Error('not started');
    return render;
  }
  return { jobs, renders, started };
}

test('one slot takes one job at a time, and submitting the same job twice starts it once', async () => {
  const { jobs, renders, started } = createTable();
  expect(jobs.start('a', input)).toBe('accepted');
  expect(jobs.start('a', input)).toBe('known');
  expect(jobs.start('b', input)).toBe('busy');
  const { end } = await started(0);
  end.resolve();
  await expect.poll(() => jobs.find('a')?.state).toBe('succeeded');
  expect(jobs.start('a', input)).toBe('known');
  expect(jobs.start('b', input)).toBe('accepted');
  await started(1);
  expect(renders.length).toBe(2);
  expect(jobs.counts()).toEqual({ running: 1, submits: 2 });
});

test('progress counts frames and reaches 100 only when the job has succeeded', async () => {
  const { jobs, started } = createTable();
  jobs.start('a', input);
  const { options, end } = await started(0);
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 0 });
  options.onFrame(1);
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 25 });
  options.onFrame(4);
  expect(jobs.find('a')).toEqual({ state: 'running', progress: 99 });
  end.resolve();
  await expect.poll(() => jobs.find('a')).toMatchObject({ state: 'succeeded', progress: 100 });
});

test('a removed job holds its slot until its processes have ended, and its id never starts again', async () => {
  const { jobs, started } = createTable();
  jobs.start('a', input);
  const { options, end } = await started(0);
  let removed = false;
  const removing = Promise.all([jobs.remove('a'), jobs.remove('a')]).then(() => (removed = true));
  expect(options.signal.aborted).toBe(true);
  expect(jobs.start('b', input)).toBe('busy');
  await new Promise(setImmediate);
  expect(removed).toBe(false);
  end.reject(new Error('killed'));
  await removing;
  expect(jobs.find('a')).toBeNull();
  expect(jobs.start('a', input)).toBe('removed');
  expect(jobs.start('b', input)).toBe('accepted');
  expect(existsSync(options.folder)).toBe(false);
  await started(1); // its folder is made by then, so nothing is made in the folder that is deleted now
});

test('a job that is removed before it starts drawing never draws', async () => {
  const { jobs, renders } = createTable();
  jobs.start('a', input);
  await jobs.remove('a');
  expect(renders.length).toBe(0);
  expect(jobs.counts().running).toBe(0);
});

test('a job that ended is swept after six hours, and a running job never is', async () => {
  let time = 0;
  const { jobs, started } = createTable({ slots: 2, now: () => time });
  jobs.start('ended', input);
  const { options, end } = await started(0);
  await writeFile(options.outputPath, 'video');
  end.resolve();
  await expect.poll(() => jobs.find('ended')?.state).toBe('succeeded');
  jobs.start('running', input);
  await started(1);
  time = 6 * hour;
  await jobs.sweep();
  expect(jobs.find('ended')?.state).toBe('succeeded');
  time = 6 * hour + 1;
  await jobs.sweep();
  expect(jobs.find('ended')).toBeNull();
  expect(jobs.find('running')?.state).toBe('running');
  expect((await readdir(root)).length).toBe(1);
});

test('memory stays bounded because the oldest tombstones are dropped first', async () => {
  const { jobs } = createTable();
  for (let index = 0; index <= 10_000; index++) await jobs.remove(`job-${index}`);
  expect(jobs.start('job-10000', input)).toBe('removed');
  expect(jobs.start('job-1', input)).toBe('removed');
  expect(jobs.start('job-0', input)).toBe('accepted');
  await jobs.close();
});
