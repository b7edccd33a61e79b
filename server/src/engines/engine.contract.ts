import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createBox } from '@kinora/boxes/box';
import { afterAll, beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { SubmitRefused } from '../errors.ts';
import type { Engine, EngineOperation, JobState, RenderRequest } from './engine.ts';

/** An endpoint under test, and what its adapter promises of it. */
export interface EngineUnderTest {
  engine: Engine;
  /** The same adapter, pointed at an address where nothing listens. */
  unreachable: Engine;
  /** A job that ends within seconds, under a new id each time. */
  request(overrides?: Partial<RenderRequest>): RenderRequest;
  /** A job that runs for many seconds. */
  longRequest(): RenderRequest;
  /** Ends the engine as a power cut would, and starts it again at the same address. */
  restart?: (() => Promise<void>) | undefined;
  /** How long its adapter takes to be sure of a loss, where the engine cannot be asked; otherwise it is sure at once. */
  lossMilliseconds?: number | undefined;
  capabilities: {
    /** A cancel answers `stopped`, and then the job does not run and never will. */
    cancelStops: boolean;
    /** A cancel of a job that never came keeps it from ever running. */
    remembersCancels: boolean;
    reportsProgress: boolean;
    /** A job beyond its slots is refused instead of put into a queue of the engine's own. */
    refusesWhenBusy: boolean;
    /** A job that is submitted twice under our id runs once. */
    ignoresRepeats: boolean;
  };

  teardown(): Promise<void>;
}

/** The guarantees that every adapter gives, whatever engine stands behind it. */
export function engineContract(
  name: string,
  setup: () => Promise<EngineUnderTest>,
  { timeoutMilliseconds = 30_000, setupMilliseconds = 30_000 } = {},
): void {
  describe(`${name} keeps the contract of an engine`, { timeout: timeoutMilliseconds }, () => {
    let under: EngineUnderTest;

    beforeAll(async () => {
      under = await setup();
    }, setupMilliseconds);
    afterAll(() => under?.teardown());

    /** Submits a job that is gone again when the test ends, so that no test finds a slot taken by another. */
    async function submit(request: RenderRequest): Promise<EngineOperation> {
      const operation = await under.engine.submit(request, AbortSignal.timeout(10_000));
      onTestFinished(async () => {
        if ((await under.engine.cancel(operation)) !== 'unsupported') return;
        await follow(operation, hasEnded);
        await under.engine.discard(operation);
      }, timeoutMilliseconds);
      return operation;
    }

    /** The operation of a job under our own id; skips the test where there is none. */
    function ourOperation(context: TestContext, jobId: string): EngineOperation {
      return under.engine.operationFor(jobId) ?? context.skip('this engine makes the ids');
    }

    /** What the engine says of a job by our id; where it makes the ids, no job is known by ours. */
    async function pollOurId(jobId: string): Promise<JobState> {
      const operation = under.engine.operationFor(jobId);
      return operation ? under.engine.poll(operation) : { state: 'lost' };
    }

    /** Polls until the predicate holds; hands back every state seen. */
    async function follow(operation: EngineOperation, until: (state: JobState) => boolean): Promise<JobState[]> {
      const states: JobState[] = [];
      for (;;) {
        const state = await under.engine.poll(operation);
        states.push(state);
        if (until(state)) return states;
        await new Promise((resolve) => setTimeout(resolve, 20)); // the engine's clock is not ours: polling is the interface
      }
    }

    async function expectLost(operation: EngineOperation): Promise<void> {
      const until = performance.now() + (under.lossMilliseconds ?? 0);
      const [last] = (await follow(operation, (state) => hasEnded(state) || performance.now() >= until)).slice(-1);
      expect(last).toEqual({ state: 'lost' });
    }

    test('it says what it is and how many slots it has', async () => {
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

    test('progress lies in 0..100 and never falls', async (context) => {
      context.skip(!under.capabilities.reportsProgress, 'this engine reports no progress');
      const operation = await submit(under.request());
      const states = await follow(operation, hasEnded);
      const known = states.flatMap((state) => (state.state === 'running' ? [state.progress] : []));
      // None before the first step; from then on there is always some.
      const progress = known.slice(known.findIndex((value) => value !== null)).map((value) => value ?? Number.NaN);
      expect(progress.filter((value) => value > 0 && value < 100).length).toBeGreaterThan(0);
      expect(progress.every((value) => value >= 0 && value <= 100)).toBe(true);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    });

    test('submitting a job again under the same id does not start it again', async (context) => {
      context.skip(!under.capabilities.ignoresRepeats, 'this engine would run it again: it is never submitted twice');
      const request = under.request();
      const operation = ourOperation(context, request.jobId);
      await submit(request);
      expect(await under.engine.submit(request, AbortSignal.timeout(10_000))).toEqual(operation);
      await follow(operation, hasEnded);
      expect(await under.engine.submit(request, AbortSignal.timeout(10_000))).toEqual(operation);
      expect(await under.engine.poll(operation)).toMatchObject({ state: 'succeeded' });
    });

    test('a job that no slot is free for is refused for certain', async (context) => {
      context.skip(!under.capabilities.refusesWhenBusy, 'this engine queues what it has no slot for');
      const { slots } = await under.engine.describe();
      for (let slot = 0; slot < slots; slot++) await submit(under.longRequest());
      const refused = under.longRequest();
      const error = await submit(refused).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(SubmitRefused);
      expect(error).toMatchObject({ kind: 'busy' });
      expect(await pollOurId(refused.jobId)).toEqual({ state: 'lost' });
    });

    test('a cancelled job stops within a second and gives its slot back', async (context) => {
      context.skip(!under.capabilities.cancelStops, 'this engine cannot stop a job');
      const { slots } = await under.engine.describe();
      const operation = await submit(under.longRequest());
      for (let slot = 1; slot < slots; slot++) await submit(under.longRequest());
      await follow(operation, (state) => state.state === 'running' && (state.progress ?? 1) > 0);
      const cancelledAt = performance.now();
      expect(await under.engine.cancel(operation)).toBe('stopped');
      expect(performance.now() - cancelledAt).toBeLessThan(1_000);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
      await submit(under.longRequest()); // every slot was taken, so one was given back
    });

    test('a cancelled job never runs again, and a cancel may be repeated', async (context) => {
      context.skip(!under.capabilities.cancelStops, 'this engine cannot stop a job');
      const request = under.longRequest();
      const operation = ourOperation(context, request.jobId);
      await submit(request);
      expect(await under.engine.cancel(operation)).toBe('stopped');
      expect(await under.engine.cancel(operation)).toBe('stopped');
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a cancelled job is refused when it comes again', async (context) => {
      context.skip(!under.capabilities.remembersCancels, 'this engine forgets what was cancelled');
      const request = under.longRequest();
      const operation = await submit(request);
      expect(await under.engine.cancel(operation)).toBe('stopped');
      await expect(under.engine.submit(request, AbortSignal.timeout(10_000))).rejects.toThrow(Error);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a cancel that comes before the job keeps it from ever running', async (context) => {
      const request = under.request();
      const operation = ourOperation(context, request.jobId);
      context.skip(!under.capabilities.remembersCancels, 'this engine knows nothing of jobs that never came');
      expect(await under.engine.cancel(operation)).toBe('stopped');
      const error = await under.engine.submit(request, AbortSignal.timeout(10_000)).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(Error);
      // Refused, but it was not the engine that was busy or away: whoever asks again must not be told to wait.
      expect(error).not.toBeInstanceOf(SubmitRefused);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
    });

    test('a job that the engine never heard of is lost', async (context) => {
      const operation = ourOperation(context, randomUUID());
      await expectLost(operation);
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
    });

    test('the output of a job that has not ended is refused', async () => {
      const operation = await submit(under.longRequest());
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
    });

    test('a discarded job and its output are gone', async () => {
      const operation = await submit(under.request());
      await follow(operation, hasEnded);
      await under.engine.discard(operation);
      expect(await under.engine.poll(operation)).toEqual({ state: 'lost' });
      await expect(under.engine.fetchOutput(operation)).rejects.toThrow(Error);
      await under.engine.discard(operation);
    });

    test('where nothing listens, a submit is refused for certain and a poll throws', async () => {
      const request = under.request();
      const error = await under.unreachable
        .submit(request, AbortSignal.timeout(10_000))
        .catch((error: unknown) => error);
      expect(error).toBeInstanceOf(SubmitRefused);
      expect(error).toMatchObject({ kind: 'unreachable' });
      const operation = under.unreachable.operationFor(request.jobId) ?? { jobId: request.jobId };
      await expect(under.unreachable.poll(operation)).rejects.toThrow(Error);
      await expect(under.unreachable.health()).rejects.toThrow(Error);
      await expect(under.unreachable.describe()).rejects.toThrow(Error);
    });

    test('after the death of the engine its jobs are lost and it takes new ones', async (context) => {
      const { restart } = under;
      if (!restart) context.skip('this engine cannot be killed here');
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
    const box = await createBox({});
    const entries = [
      '-select_streams',
      'v:0',
      '-count_frames',
      '-show_entries',
      'stream=nb_read_frames',
      '-of',
      'csv=p=0',
    ];
    const limits = { memoryBytes: 2 ** 30, cpuSeconds: 30, fileSizeBytes: 0, timeoutMilliseconds: 20_000 };
    const { stdout } = await box.run({
      program: 'ffprobe',
      arguments: ['-v', 'error', ...entries, path],
      limits,
      folder,
    });
    return Number.parseInt(stdout.toString(), 10);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
