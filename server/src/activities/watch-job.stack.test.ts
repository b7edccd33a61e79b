import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LiveEntry } from '../db/live-entries.ts';
import { cancelTask } from '../operations/cancel-task.ts';
import { beginOrThrow, createWorld, type World } from '../operations/operations.fixture.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { createTaskWatch } from './task-watch.ts';
import { watchJob } from './watch-job.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

/** A job that runs, and somebody who watches it. */
async function watchOne() {
  const engine = createScriptedEngine();
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject({ runningLimit: 9 })));
  const jobId = attempt.engineJobId;
  engine.jobs.set(jobId, { state: 'running', progress: 10 });
  const watch = createTaskWatch(world);
  onTestFinished(() => watch.close());
  const reports: LiveEntry[] = [];
  const live = { report: (_: unknown, entry: LiveEntry) => void reports.push(entry), close: async () => undefined };
  const stopping = new AbortController();
  let heartbeats = 0;
  const parts = { ...world, watch, live, attemptLimitSeconds: 600 };
  const job = {
    task,
    attempt,
    engine,
    operation: { jobId },
    signal: stopping.signal,
    heartbeat: () => void (heartbeats += 1),
  };
  const start = () => watchJob(parts, job);
  return { task, engine, jobId, watch, reports, stopping, start, heartbeats: () => heartbeats };
}

describe('watching a job', { timeout: 20_000 }, () => {
  it('reports progress and a sign of life until the job has ended', async () => {
    const { engine, jobId, reports, start, heartbeats } = await watchOne();
    const watching = start();
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    engine.jobs.set(jobId, { state: 'succeeded' });
    expect(await watching).toEqual({ kind: 'succeeded' });
    expect(reports[0]).toEqual({ attempt: 1, stage: 'rendering', progress: 10, progressSource: 'engine' });
    expect(heartbeats()).toBeGreaterThan(1);
  });

  it('says what became of a job, and whether it is certainly over', async () => {
    const { engine, jobId, start } = await watchOne();
    engine.jobs.set(jobId, { state: 'failed', code: 'engine_crashed', reason: '' });
    expect(await start()).toEqual({ kind: 'failed', code: 'engine_crashed', isJobOver: true });
    engine.jobs.delete(jobId);
    expect(await start()).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
  });

  it('gives an engine that does not answer a minute', async () => {
    const { engine, start } = await watchOne();
    engine.isUp = false;
    let isOver = false;
    const watching = start().finally(() => {
      isOver = true;
    });
    await expect.poll(() => engine.polls).toBeGreaterThan(0);
    world.moveClock(59);
    const { polls } = engine;
    await expect.poll(() => engine.polls, { timeout: 10_000 }).toBeGreaterThan(polls + 1);
    expect(isOver).toBe(false);
    world.moveClock(61);
    expect(await watching).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
  });

  it('ends an attempt at its deadline, unless the job has succeeded by then', async () => {
    const { engine, jobId, start } = await watchOne();
    world.moveClock(601);
    expect(await start()).toEqual({ kind: 'deadline' });
    expect(engine.cancelled).toEqual([jobId]);
    engine.jobs.set(jobId, { state: 'succeeded' });
    expect(await start()).toEqual({ kind: 'succeeded' });
  });

  it('leaves the job running when only the watcher is stopped, and stops it when the task has ended', async () => {
    const { engine, task, jobId, stopping, start } = await watchOne();
    const watching = start();
    stopping.abort();
    expect(await watching).toEqual({ kind: 'left-running' });
    expect(engine.cancelled).toEqual([]);
    await cancelTask(world, task.id);
    expect(await start()).toEqual({ kind: 'not-wanted' }); // the row is asked at once, because the signal is there
    expect(engine.cancelled).toEqual([jobId]);
  });

  it('sees a cancel although another watcher of the same task has gone meanwhile', async () => {
    const { engine, task, jobId, watch, start } = await watchOne();
    const watching = start();
    watch.watch(task.id); // an activity that Temporal has given up still watches, and then ends
    watch.unwatch(task.id);
    await cancelTask(world, task.id);
    expect(await watching).toEqual({ kind: 'not-wanted' });
    expect(engine.cancelled).toEqual([jobId]);
  });
});
