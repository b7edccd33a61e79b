import { describe, expect, onTestFinished, test } from 'vitest';
import { clockAt } from '../domain/clock.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { neverAborted } from '../engines/never-aborted.fixture.ts';
import { startOpenAiVideosDouble } from '../engines/openai-videos/openai-videos-double.fixture.ts';
import { createOpenAiVideosEngine } from '../engines/openai-videos/openai-videos-engine.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import { retryTask } from '../operations/attempts/retry-task.ts';
import { takeOverAttempt } from '../operations/attempts/take-over-attempt.ts';
import { newPlace, useWorld } from '../operations/operations.fixture.ts';
import { adoptJob } from './adopt-job.ts';
import { comparableRequest } from './prepare-render.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';

const world = useWorld();

const job = { jobId: 'job-of-first' };

/** Returns an endpoint with two slots whose engine makes the ids, took one job, and lost its response. */
async function endpointWithJob() {
  const engine = createScriptedEngine();
  engine.losesResponses = true;
  engine.slots = 2;
  const { endpointId } = newPlace();
  await world.db.leases.ensureSlots(endpointId, 2);
  engine.jobs.set(job.jobId, { state: 'running', progress: 1 });
  /** Begins an attempt of another project whose job has no known id. */
  const begin = async (slot: number) => {
    const task = await world.accept(await world.newProject());
    const begun = await beginAttempt(world, task, { endpointId, slot, operationFor: () => null });
    if (begun.kind !== 'begun') throw new Error(`the task did not begin: ${begun.kind}`);
    return begun;
  };
  const adopt = ({ task, attempt }: Awaited<ReturnType<typeof begin>>) =>
    adoptJob(world, task, attempt, engine, neverAborted);
  return { engine, endpointId, begin, adopt };
}

describe('adopting the one job that no attempt names', () => {
  test('the only open attempt of an endpoint adopts the one job that no attempt names', async () => {
    const { begin, adopt } = await endpointWithJob();
    const only = await begin(0);
    expect(await adopt(only)).toEqual(job);
    expect(await world.db.attempts.find(only.task.id, 1)).toMatchObject({ operation: job });
  });

  test('an attempt whose submit never arrived does not adopt the job of another slot', async () => {
    const { begin, adopt } = await endpointWithJob();
    const [first, second] = [await begin(0), await begin(1)];
    await world.moveClock(21);
    expect(await adopt(second)).toBeNull();
    expect(await adopt(first)).toBeNull();
  });

  test('an attempt adopts its job once the other attempts have the ids of theirs', async () => {
    const { engine, begin, adopt } = await endpointWithJob();
    const [first, second] = [await begin(0), await begin(1)];
    engine.jobs.set('job-of-second', { state: 'running', progress: 1 });
    await world.db.engineJobs.name(second.attempt, { jobId: 'job-of-second' });
    expect(await adopt(first)).toEqual(job);
  });

  test('an attempt does not adopt a job that belonged to an attempt that has ended', async () => {
    const { begin, adopt } = await endpointWithJob();
    const { attempt } = await begin(0);
    await world.db.engineJobs.name(attempt, job);
    await retryTask(world, attempt, { outcome: 'engine_crashed', stage: 'rendering', isJobOver: true });
    const next = await begin(0);
    await world.moveClock(21);
    expect(await adopt(next)).toBeNull();
  });

  test('an attempt adopts nothing within an hour after another was lost there, whose submit may arrive late', async () => {
    const { begin, adopt } = await endpointWithJob();
    const { attempt } = await begin(0);
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    const next = await begin(0);
    await world.moveClock(21);
    expect(await adopt(next)).toBeNull();
    await world.moveClock(3600);
    expect(await adopt(next)).toEqual(job);
  });

  test('a refusal does not prevent the next attempt from adopting its job', async () => {
    const { begin, adopt } = await endpointWithJob();
    const { attempt } = await begin(0);
    await retryTask(world, attempt, { outcome: 'refused', stage: 'preparing', isJobOver: true });
    expect(await adopt(await begin(0))).toEqual(job);
  });

  test('an attempt does not adopt a job that the engine lists with another prompt', async () => {
    const { engine, begin, adopt } = await endpointWithJob();
    const only = await begin(0);
    engine.prompts.set(job.jobId, 'a prompt of another tenant');
    await world.moveClock(21);
    expect(await adopt(only)).toBeNull();
    engine.prompts.set(job.jobId, only.task.prompt);
    expect(await adopt(only)).toEqual(job);
  });

  test('a worker that no longer holds the attempt adopts nothing', async () => {
    const { begin, adopt } = await endpointWithJob();
    const former = await begin(0);
    const taken = await takeOverAttempt(world, former.task.id);
    await world.moveClock(21);
    expect(await adopt(former)).toBeNull();
    if (taken.kind !== 'taken') throw new Error('not taken over');
    expect(await adopt({ ...former, ...taken, kind: 'begun' })).toEqual(job);
  });

  test('two attempts can never have the same job', async () => {
    const { begin } = await endpointWithJob();
    const [first, second] = [await begin(0), await begin(1)];
    const named = await Promise.allSettled(
      [first, second].map(({ attempt }) => world.db.engineJobs.name(attempt, job)),
    );
    expect(named.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const operations = await Promise.all([first, second].map(({ task }) => world.db.attempts.find(task.id, 1)));
    expect(operations.filter((attempt) => attempt?.operation !== null)).toHaveLength(1);
  });

  test('ids that were named a day before the oldest lease of the endpoint are forgotten', async () => {
    const { endpointId, begin } = await endpointWithJob();
    const { attempt } = await begin(0);
    await world.db.engineJobs.name(attempt, job);
    await retryTask(world, attempt, { outcome: 'engine_crashed', stage: 'rendering', isJobOver: true });
    await world.moveClock(25 * 3600);
    await world.db.engineJobs.name((await begin(1)).attempt, { jobId: 'a later job' });
    expect(await world.db.engineJobs.unnamed(endpointId, [job, { jobId: 'a later job' }])).toEqual([job]);
    await world.moveClock(-25 * 3600);
  });

  test.each([-90, 90])('a job is found although the clock of its engine is %i s off', async (clockOffsetSeconds) => {
    const double = await startOpenAiVideosDouble('sglang');
    double.faults.clockOffsetSeconds = clockOffsetSeconds;
    const options = { token: null, slots: 1, clock: systemClock, dialect: 'sglang', model: null } as const;
    const engine = createOpenAiVideosEngine({ ...options, url: double.url });
    onTestFinished(async () => {
      await engine.close();
      await double.close();
    });
    const { begin } = await endpointWithJob();
    const clock = clockAt(() => new Date());
    const { task, attempt } = await begin(0);
    const begun = { ...attempt, beganAt: clock.now() };
    const request = comparableRequest(world, task);
    if (!request) throw new Error('the model is not in the catalogue');
    const operation = await engine.submit({ ...request, image: null, jobId: 'unused' }, neverAborted);
    expect(await adoptJob({ ...world, clock }, task, begun, engine, neverAborted)).toEqual(operation);
  });
});
