import { describe, expect, it, onTestFinished } from 'vitest';
import type { LiveEntry } from '../db/attempts/live-entry-table.ts';
import { beginOrThrow, useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { createTaskWatch } from './task-watch.ts';
import { watchJob } from './watch-job.ts';
import type { Measured } from './watchdog.ts';

const world = useWorld();

/** Sets up a running job and a watcher of it. */
async function watchOne({ measured = null, testPrompt }: { measured?: Measured; testPrompt?: string } = {}) {
  const engine = createScriptedEngine();
  const project = await world.newProject({ runningLimit: 9 });
  const options = testPrompt === undefined ? {} : { livemode: false, request: { prompt: testPrompt } };
  const { task, attempt } = await beginOrThrow(world, await world.accept(project, options));
  const jobId = attempt.engineJobId;
  engine.jobs.set(jobId, { state: 'running', progress: 10 });
  const watch = createTaskWatch(world);
  onTestFinished(() => watch.close());
  const reports: LiveEntry[] = [];
  const live = { report: (_: unknown, entry: LiveEntry) => void reports.push(entry), close: async () => undefined };
  const stopping = new AbortController();
  const speeds = { find: (): Measured => measured };
  const parts = { ...world, watch, live, speeds, attemptLimitSeconds: 600, stallSeconds: 60 };
  const job = {
    task,
    attempt,
    engine,
    operation: { jobId },
    signal: stopping.signal,
  };
  const start = () => watchJob(parts, job);
  return { task, engine, jobId, watch, reports, stopping, start };
}

describe('watching a job', () => {
  it('reports progress until the job has ended', async () => {
    const { engine, jobId, reports, start } = await watchOne();
    const watching = start();
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    engine.jobs.set(jobId, { state: 'succeeded' });
    expect(await watching).toEqual({ kind: 'succeeded', isStored: false });
    expect(reports[0]).toEqual({ attempt: 1, stage: 'rendering', progress: 10, progressSource: 'engine' });
  });

  it('returns how a job ended, and whether it is certainly over', async () => {
    const { engine, jobId, start } = await watchOne();
    engine.jobs.set(jobId, { state: 'failed', code: 'engine_crashed', reason: '' });
    expect(await start()).toEqual({ kind: 'failed', code: 'engine_crashed', isJobOver: true });
    engine.jobs.delete(jobId);
    expect(await start()).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
  });

  it('gives an engine that does not respond one minute', async () => {
    const { engine, start } = await watchOne();
    engine.isUp = false;
    let isOver = false;
    const watching = start().finally(() => {
      isOver = true;
    });
    await expect.poll(() => engine.polls).toBeGreaterThan(0);
    await world.moveClock(59);
    const { polls } = engine;
    await expect.poll(() => engine.polls).toBeGreaterThan(polls + 1);
    expect(isOver).toBe(false);
    await world.moveClock(61);
    expect(await watching).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
  });

  it('ends an attempt at its deadline, unless the job has succeeded by then', async () => {
    const { engine, jobId, start } = await watchOne();
    await world.moveClock(601);
    expect(await start()).toEqual({ kind: 'deadline' });
    expect(engine.cancelled).toEqual([jobId]);
    engine.jobs.set(jobId, { state: 'succeeded' });
    expect(await start()).toEqual({ kind: 'succeeded', isStored: false });
  });

  it('ends an attempt at its deadline if the engine has not responded in all that time', async () => {
    const { engine, start } = await watchOne();
    engine.isUp = false;
    await world.moveClock(601); // an outage of our own: nobody watched the job
    const watching = start();
    await expect.poll(() => engine.polls).toBeGreaterThan(1);
    await world.moveClock(601);
    expect(await watching).toEqual({ kind: 'deadline' });
  });

  it('loses an attempt instead of the task if the engine lost the job before anyone saw its deadline', async () => {
    const { engine, jobId, start } = await watchOne();
    engine.jobs.delete(jobId);
    await world.moveClock(601);
    expect(await start()).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
    expect(engine.cancelled).toEqual([]);
  });

  it('gives a model that was measured as slow five times the measured time', async () => {
    const { start } = await watchOne({ measured: { renderP50Seconds: 100, renderP90Seconds: 200 } });
    await world.moveClock(601);
    const watching = start();
    await world.moveClock(400);
    expect(await watching).toEqual({ kind: 'deadline' });
  });

  it('reports a job without new progress as stalled, and tells the engine to stop it', async () => {
    const { engine, jobId, start } = await watchOne();
    const watching = start();
    await expect.poll(() => engine.polls).toBeGreaterThan(0);
    await world.moveClock(59);
    engine.jobs.set(jobId, { state: 'running', progress: 11 });
    const { polls } = engine;
    await expect.poll(() => engine.polls).toBeGreaterThan(polls + 1);
    await world.moveClock(59);
    expect(engine.cancelled).toEqual([]);
    await world.moveClock(2);
    expect(await watching).toEqual({ kind: 'failed', code: 'generation_stalled', isJobOver: false });
    expect(engine.cancelled).toEqual([jobId]);
  });

  it('does not report a delay that a test prompt forces as a stall', async () => {
    const { engine, jobId, start } = await watchOne({ testPrompt: '[[delay:300]] waves' });
    const watching = start();
    await expect.poll(() => engine.polls).toBeGreaterThan(0);
    await world.moveClock(350);
    const { polls } = engine;
    await expect.poll(() => engine.polls).toBeGreaterThan(polls + 1);
    engine.jobs.set(jobId, { state: 'succeeded' });
    expect(await watching).toEqual({ kind: 'succeeded', isStored: false });
  });

  it('judges a job without progress by the measured times, and estimates its progress until then', async () => {
    const { engine, jobId, reports, start } = await watchOne({
      measured: { renderP50Seconds: 50, renderP90Seconds: 100 },
    });
    engine.jobs.set(jobId, { state: 'running', progress: null });
    await world.moveClock(25);
    const watching = start();
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    expect(reports[0]).toEqual({ attempt: 1, stage: 'rendering', progress: 50, progressSource: 'estimated' });
    await world.moveClock(276);
    expect(await watching).toEqual({ kind: 'failed', code: 'generation_stalled', isJobOver: false });
  });

  it('reports no progress if the engine reports none and nothing was measured', async () => {
    const { engine, jobId, reports, start } = await watchOne();
    engine.jobs.set(jobId, { state: 'running', progress: null });
    const watching = start();
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    expect(reports[0]).toEqual({ attempt: 1, stage: 'rendering', progress: 0, progressSource: 'none' });
    engine.jobs.set(jobId, { state: 'succeeded', isStored: true });
    expect(await watching).toEqual({ kind: 'succeeded', isStored: true });
  });

  it('leaves the job running if only the watcher is stopped, and stops the job if the task has ended', async () => {
    const { engine, task, jobId, stopping, start } = await watchOne();
    const watching = start();
    stopping.abort();
    expect(await watching).toEqual({ kind: 'left-running' });
    expect(engine.cancelled).toEqual([]);
    await cancelTask(world, task.id);
    expect(await start()).toEqual({ kind: 'not-wanted' }); // the row is read at once, because the signal is aborted
    expect(engine.cancelled).toEqual([jobId]);
  });

  it('notices a cancel although another watcher of the same task has ended', async () => {
    const { engine, task, jobId, watch, start } = await watchOne();
    const watching = start();
    watch.watch(task.id); // an activity that Temporal gave up still watches, and then ends
    watch.unwatch(task.id);
    await cancelTask(world, task.id);
    expect(await watching).toEqual({ kind: 'not-wanted' });
    expect(engine.cancelled).toEqual([jobId]);
  });
});
