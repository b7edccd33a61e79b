import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { SubmitRefused } from '../errors.ts';
import type { CancelOutcome, Engine, EngineOperation, JobState, RenderRequest } from './engine.ts';
import { neverAborted } from './never-aborted.fixture.ts';

/** An endpoint under test, and what its adapter promises. */
export interface EngineUnderTest {
  engine: Engine;
  /** The same adapter, pointed at an address where nothing listens. */
  unreachable: Engine;
  /** Returns a job that ends within seconds, under a new id each time. */
  request(overrides?: Partial<RenderRequest>): RenderRequest;
  /** Returns a job that runs for many seconds. */
  longRequest(): RenderRequest;
  /** Kills the engine, as a power cut would, and restarts it at the same address. */
  restart?: (() => Promise<void>) | undefined;
  capabilities: {
    /** A cancel returns `stopped`; from then on the job does not run and never will. */
    cancelStops: boolean;
    /** A cancel of a job that the engine has not received yet keeps it from ever running. */
    remembersCancels: boolean;
    reportsProgress: boolean;
    /** A job beyond its slots is refused instead of queued inside the engine. */
    refusesWhenBusy: boolean;
    /** A job that is submitted twice under the same id runs once. */
    ignoresRepeats: boolean;
  };

  teardown(): Promise<void>;
}

/** Declares the tests that every adapter must pass, whatever its engine. */
export function engineContract(name: string, setup: () => Promise<EngineUnderTest>): void {
  describe(`${name} keeps the contract of an engine`, () => {
    let under: EngineUnderTest;

    beforeAll(async () => {
      under = await setup();
    });
    afterAll(() => under?.teardown());

    /** Submits a job and removes it when the test ends, so that no test finds a slot taken by another. */
    async function submit(request: RenderRequest): Promise<EngineOperation> {
      const operation = await under.engine.submit(request, neverAborted);
      onTestFinished(async () => {
        if ((await under.engine.cancel(operation)) !== 'unsupported') return;
        await follow(operation, hasEnded);
        await under.engine.discard(operation);
      });
      return operation;
    }

    /** Returns the operation of a job under our own id; skips the test if the engine makes the ids. */
    function ourOperation(context: TestContext, jobId: string): EngineOperation {
      return under.engine.operationFor(jobId) ?? context.skip('this engine makes the ids');
    }

    /** Returns what the engine knows of a job by our id; an engine that makes the ids knows no job by ours. */
    async function pollOurId(jobId: string): Promise<JobState> {
      const operation = under.engine.operationFor(jobId);
      return operation ? under.engine.poll(operation) : { state: 'lost' };
    }

    /** Polls until the predicate holds; returns every state on the way. */
    async function follow(operation: EngineOperation, until: (state: JobState) => boolean): Promise<JobState[]> {
      const states: JobState[] = [];
      for (;;) {
        const state = await under.engine.poll(operation);
        states.push(state);
        if (until(state)) return states;
        await new Promise((resolve) => setTimeout(resolve, 20)); // an engine has its own clock: it can only be polled
      }
    }

    /** Cancels a job until it has stopped: a busy machine may need longer to stop it than one cancel waits. */
    async function stop(operation: EngineOperation): Promise<CancelOutcome> {
      for (;;) {
        const outcome = await under.engine.cancel(operation);
        if (outcome !== 'unsupported') return outcome;
      }
    }

    /** An adapter whose engine cannot be asked for a job needs a while to be sure that the job is lost. */
    async function expectLost(operation: EngineOperation): Promise<void> {
      expect((await follow(operation, hasEnded)).at(-1)).toEqual({ state: 'lost' });
    }

    test('the engine describes itself and its slots, and is ready', async () => {
      const description = await under.engine.describe();
      expect(description.engine).not.toBe('');
      expect(description.version).not.toBe('');
      expect(description.slots).toBeGreaterThanOrEqual(1);
      expect(description.problems).toEqual([]);
      expect(await under.engine.health()).toEqual({ isReady: true });
    });

    test('a submitted job is known at once and ends as succeeded', async () => {
      const operation = await submit(under.request());
      expect((await under.engine.poll(operation)).state).not.toBe('lost');
      const states = await follow(operation, hasEnded);
      expect(states.at(-1)).toMatchObject({ state: 'succeeded' });
    });

    test('an operation survives being stored and read back', async () => {
      const request = under.request();
      const operation = await submit(request);
      expect(JSON.parse(JSON.stringify(operation))).toEqual(operation);
      expect(under.engine.operationFor(request.jobId) ?? operation).toEqual(operation);
    });

    test('the output is a file that plays', async () => {
      const operation = await submit(under.request());
      await follow(operation, hasEnded);
      const bytes = await buffer(await under.engine.fetchOutput(operation));
      expect(await countDecodedFrames(bytes)).toBeGreaterThan(0);
    });

    test('progress is between 0 and 100 and never falls', async (context) => {
      context.skip(!under.capabilities.reportsProgress, 'this engine reports no progress');
      const operation = await submit(under.request());
      const states = await follow(operation, hasEnded);
      const known = states.flatMap((state) => (state.state === 'running' ? [state.progress] : []));
      // Progress is null before the first step, and never after it.
      const progress = known.slice(known.findIndex((value) => value !== null)).map((value) => value ?? Number.NaN);
      expect(progress.filter((value) => value > 0 && value < 100).length).toBeGreaterThan(0);
      expect(progress.every((value) => value >= 0 && value <= 100)).toBe(true);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    });

    test('a job that is submitted twice under the same id starts once', async (context) => {
      context.skip(
        !under.capabilities.ignoresRepeats,
        'this engine would run it twice, so no job is ever submitted twice',
      );
      const request = under.request();
      const operation = ourOperation(context, request.jobId);
      await submit(request);
      expect(await under.engine.submit(request, neverAborted)).toEqual(operation);
      await follow(operation, hasEnded);
      expect(await under.engine.submit(request, neverAborted)).toEqual(operation);
      expect(await under.engine.poll(operation)).toMatchObject({ state: 'succeeded' });
    });

    test('a submit throws SubmitRefused if no slot is free', async (context) => {
      context.skip(!under.capabilities.refusesWhenBusy, 'this engine queues jobs that it has no slot for');
      const { slots } = await under.engine.describe();
      for (let slot = 0; slot < slots; slot++) await submit(under.longRequest());
      const refused = under.longRequest();
      const error = await submit(refused).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(SubmitRefused);
      expect(error).toMatchObject({ kind: 'busy' });
      expect(await pollOurId(refused.jobId)).toEqual({ state: 'lost' });
    });

    test('a cancelled job stops before its end and frees its slot', async (context) => {
      context.skip(!under.capabilities.cancelStops, 'this engine cannot stop a job');
      const { slots } = await under.engine.describe();
      const operation = await submit(under.longRequest());
      for (let slot = 1; slot < slots; slot++) await submit(under.longRequest());
      await follow(operation, (state) => state.state === 'running' && (state.progress ?? 1) > 0);
      const [outcome, states] = await Promise.all([stop(operation), follow(operation, hasEnded)]);
      expect(outcome).toBe('stopped');
      expect(states.at(-1)).toEqual({ state: 'lost' }); // an engine that renders on would have succeeded
      await submit(under.longRequest()); // all slots were taken, so this needs the freed one
    });

    test('a cancelled job never runs again, and a cancel may be repeated', async (context) => {
      context.skip(!under.capabilities.cancelStops, 'this engine cannot stop a job');
      const request = under.longRequest();
      const operation = ourOperation(context, request.jobId);
      await submit(request);
      expect(await stop(operation)).toBe('stopped');
      expect(await under.engine.cancel(operation)).toBe('stopped');
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a cancelled job is refused when it is submitted again', async (context) => {
      context.skip(!under.capabilities.remembersCancels, 'this engine forgets cancelled jobs');
      const request = under.longRequest();
      const operation = await submit(request);
      expect(await under.engine.cancel(operation)).toBe('stopped');
      await expect(under.engine.submit(request, neverAborted)).rejects.toThrow(Error);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a cancel that arrives before its job does not return stopped if the engine would still run the job', async (context) => {
      context.skip(under.capabilities.remembersCancels, 'this engine remembers cancelled jobs');
      const operation = ourOperation(context, under.request().jobId);
      expect(await under.engine.cancel(operation)).not.toBe('stopped');
    });

    test('a cancel that arrives before its job keeps the job from ever running', async (context) => {
      context.skip(!under.capabilities.remembersCancels, 'this engine forgets cancelled jobs');
      const request = under.request();
      const operation = ourOperation(context, request.jobId);
      expect(await under.engine.cancel(operation)).toBe('stopped');
      const error = await under.engine.submit(request, neverAborted).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(Error);
      // SubmitRefused means busy or unreachable, which invites a retry; this refusal is final.
      expect(error).not.toBeInstanceOf(SubmitRefused);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a job that the engine never received is lost', async (context) => {
      const operation = ourOperation(context, randomUUID());
      await expectLost(operation);
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
    });

    test('fetching the output of an unfinished job throws', async () => {
      const operation = await submit(under.longRequest());
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
    });

    test('a discarded job and its output no longer exist', async () => {
      const operation = await submit(under.request());
      await follow(operation, hasEnded);
      await under.engine.discard(operation);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
      await under.engine.discard(operation);
    });

    test('if nothing listens at the URL, a submit throws SubmitRefused and a poll throws', async () => {
      const request = under.request();
      const error = await under.unreachable.submit(request, neverAborted).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(SubmitRefused);
      expect(error).toMatchObject({ kind: 'unreachable' });
      const operation = under.unreachable.operationFor(request.jobId) ?? { jobId: request.jobId };
      await expect(under.unreachable.poll(operation)).rejects.toThrow(Error);
      await expect(under.unreachable.health()).rejects.toThrow(Error);
      await expect(under.unreachable.describe()).rejects.toThrow(Error);
    });

    test('an engine that was killed and restarted has lost its jobs and accepts new ones', async (context) => {
      const { restart } = under;
      if (!restart) context.skip('this engine cannot be restarted here');
      const running = await submit(under.longRequest());
      await follow(running, (state) => state.state === 'running');
      await restart?.();
      await expectLost(running);
      const next = await submit(under.request());
      expect((await follow(next, hasEnded)).at(-1)).toMatchObject({ state: 'succeeded' });
    });
  });
}

function hasEnded({ state }: JobState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'lost';
}

async function countDecodedFrames(bytes: Buffer): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-contract-'));
  try {
    const path = join(folder, 'output');
    await writeFile(path, bytes);
    const options = '-v error -select_streams v:0 -count_frames -show_entries stream=nb_read_frames -of csv=p=0';
    const { stdout } = await promisify(execFile)('ffprobe', [...options.split(' '), path]);
    return Number.parseInt(stdout, 10);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
