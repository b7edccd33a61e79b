import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../domain/id.fixture.ts';
import type { GenerateVideoInput, Step } from '../domain/step.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { keepHistory, readHistories } from './histories.fixture.ts';
import { useTemporalWorkers } from './temporal-workers.fixture.ts';

type Name = 'generate' | 'follow' | 'finish' | 'giveUp';
/** What each activity does, one action per call; the last action repeats. */
type Script = Partial<Record<Name, readonly (() => Step | Promise<Step>)[]>>;

const pool = `test-${randomBytes(4).toString('hex')}`;
const scripts = new Map<string, Script>();
const calls = new Map<string, Name[]>();

/** Creates one of the test's own activities for the real queues: each task brings a script of what they return. */
function scripted(name: Name) {
  return {
    [name]: async ({ taskId }: { taskId: string }): Promise<Step> => {
      const before = calls.get(taskId) ?? [];
      calls.set(taskId, [...before, name]);
      const script = scripts.get(taskId)?.[name] ?? [];
      const action = script[before.filter((call) => call === name).length] ?? script.at(-1);
      if (!action) throw ApplicationFailure.nonRetryable(`${name} was not expected`);
      return action();
    },
  };
}

const temporal = useTemporalWorkers();
let stop: () => Promise<void>;

beforeAll(async () => {
  stop = await temporal.runWorkers(
    { taskQueue: 'workflows', workflowBundle: await openWorkflowBundle(), activities: scripted('giveUp') },
    { taskQueue: 'media', activities: scripted('finish') },
    { taskQueue: `render-${pool}`, activities: scripted('generate') },
    { taskQueue: `follow-${pool}`, activities: scripted('follow') },
    // All engines of this pool are busy: no worker generates, but a task that leaves the queue can be followed.
    { taskQueue: `follow-${pool}-busy`, activities: scripted('follow') },
  );
});
afterAll(() => stop?.());

async function start(script: Script, input: Partial<GenerateVideoInput> = {}) {
  const taskId = strayId('task', new Date());
  scripts.set(taskId, script);
  return { taskId, handle: await temporal.startTask({ taskId, pool, ...input }, taskId) };
}

/** Runs a task to its end, and keeps its history under the given name. Returns the activities that it went through. */
async function run(script: Script, input?: Partial<GenerateVideoInput>, name?: string): Promise<Name[]> {
  const { taskId, handle } = await start(script, input);
  await handle.result();
  if (name !== undefined) await keepHistory(`generate-video-1-${name}`, await handle.fetchHistory());
  return calls.get(taskId) ?? [];
}

const to = (step: Step) => () => step;
const throws = () => {
  throw new Error('the worker stumbled');
};
const throwsForGood = () => {
  throw ApplicationFailure.nonRetryable('and will always stumble');
};

describe.concurrent('the workflow of a task', () => {
  it('the workflow goes from generate to finish in 17 events, and its history holds only ids', async () => {
    const { taskId, handle } = await start({ generate: [to('finish')], finish: [to('ended')] });
    await handle.result();
    expect(calls.get(taskId)).toEqual(['generate', 'finish']);
    const history = await handle.fetchHistory();
    expect(history.events).toHaveLength(17);
    await keepHistory('generate-video-1', history);
  });

  it('a generate that ends without a result is followed and never repeated, in at most 25 events', async () => {
    const { taskId, handle } = await start({
      generate: [throws],
      follow: [to('finish')],
      finish: [to('ended')],
    });
    await handle.result();
    expect(calls.get(taskId)).toEqual(['generate', 'follow', 'finish']);
    const history = await handle.fetchHistory();
    expect(history.events?.length).toBeLessThanOrEqual(25);
    await keepHistory('generate-video-1-taken-over', history);
  });

  it('a generate whose worker fell silent is followed', async () => {
    let wake: () => void = () => undefined;
    const asleep = new Promise<Step>((resolve) => {
      wake = () => resolve('finish');
    });
    const names = await run({ generate: [() => asleep], follow: [to('ended')] });
    wake(); // only now does the silent worker return a result, which is ignored
    expect(names).toEqual(['generate', 'follow']);
  });

  it('follow and finish are retried for as long as they fail', async () => {
    const names = await run({
      generate: [throwsForGood],
      follow: [throws, throws, to('finish')],
      finish: [throws, throws, to('ended')],
    });
    expect(names).toEqual(['generate', 'follow', 'follow', 'follow', 'finish', 'finish', 'finish']);
  });

  it('a failure that is marked as non-retryable does not end the workflow', async () => {
    const script = {
      generate: [throwsForGood],
      follow: [throwsForGood, to('finish')],
      finish: [throwsForGood, to('ended')],
    };
    expect(await run(script, {}, 'failed')).toEqual(['generate', 'follow', 'follow', 'finish', 'finish']);
  });

  it('the time in the media queue does not count against finishing', async () => {
    const { handle } = await start({ generate: [to('finish')], finish: [to('ended')] });
    await handle.result();
    const { events } = await handle.fetchHistory();
    const scheduled = events?.map((event) => event.activityTaskScheduledEventAttributes);
    const finish = scheduled?.find((attributes) => attributes?.activityType?.name === 'finish');
    // Temporal limits both only by the workflow, which has no limit of its own here.
    expect(optionalTsToMs(finish?.scheduleToStartTimeout) ?? 0).toBe(0);
    expect(optionalTsToMs(finish?.scheduleToCloseTimeout) ?? 0).toBe(0);
    expect(finish?.retryPolicy?.maximumAttempts).toBe(730);
  });

  // The real limits are too long for a test, so the activity gets shorter ones while it is retried.
  it.each([
    {
      used: 'all its tries',
      name: 'given-up',
      activityOptions: { retryPolicy: { maximumAttempts: 3 } },
      paths: ['retry_policy.maximum_attempts'],
    },
    {
      used: 'its time, which an earlier version limited',
      name: 'out-of-time',
      activityOptions: { scheduleToCloseTimeout: msToTs(2_000) },
      paths: ['schedule_to_close_timeout'],
    },
  ])('the workflow gives up when finishing has used up $used, and retries until that is committed', async (limit) => {
    const { taskId, handle } = await start({
      generate: [to('finish')],
      finish: [throws],
      giveUp: [throws, throws, to('ended')],
    });
    await expect.poll(() => calls.get(taskId)).toContain('finish');
    await temporal.client.workflowService.updateActivityOptions({
      namespace: temporal.namespace,
      execution: { workflowId: taskId },
      type: 'finish',
      activityOptions: limit.activityOptions,
      updateMask: { paths: limit.paths },
    });
    await handle.result();
    expect(calls.get(taskId)?.filter((name) => name !== 'finish')).toEqual(['generate', 'giveUp', 'giveUp', 'giveUp']);
    await keepHistory(`generate-video-1-${limit.name}`, await handle.fetchHistory());
  });

  it('the workflow goes to any step that an activity returns, also back to generate or follow', async () => {
    const script = {
      generate: [to('generate'), to('follow'), to('finish')],
      follow: [to('generate')],
      finish: [to('follow'), to('generate'), to('ended')],
    };
    expect(await run(script, {}, 'retried')).toEqual([
      'generate',
      'generate',
      'follow',
      'generate',
      'finish',
      'follow',
      'generate',
      'finish',
      'generate',
      'finish',
    ]);
  });

  it('a workflow with a long history continues in a new run, ahead of tasks that were never tried', async () => {
    // Temporal suggests a new run from 4 MB or 4,096 events on; a long id gets there with few events.
    const longId = strayId('task', new Date()).padEnd(600_000, 'x');
    scripts.set(longId, { generate: [...Array.from({ length: 8 }, () => to('generate')), to('ended')] });
    const { handle } = await start({}, { taskId: longId });
    await handle.result();
    const { runId } = await handle.describe();
    expect(runId).not.toBe(handle.firstExecutionRunId);
    expect(calls.get(longId)).toEqual(Array.from({ length: 9 }, () => 'generate'));
    const { workflowId, firstExecutionRunId } = handle;
    await keepHistory('generate-video-1-continues', await temporal.historyOf(workflowId, firstExecutionRunId));
    const history = await temporal.historyOf(workflowId, runId);
    await keepHistory('generate-video-1-continued', history);
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    expect(scheduled?.activityTaskScheduledEventAttributes?.priority?.priorityKey).toBe(2);
  });

  it('the workflow enters at the given step', async () => {
    expect(await run({ follow: [to('ended')] }, { enter: 'follow' }, 'enter-follow')).toEqual(['follow']);
    expect(await run({ generate: [to('ended')] }, { enter: 'generate' }, 'ended')).toEqual(['generate']);
  });

  it('a cancel takes a task that no worker has begun out of the queue, and the task is followed', async () => {
    const { taskId, handle } = await start({ follow: [to('ended')] }, { pool: `${pool}-busy` });
    await expect.poll(async () => (await handle.describe()).raw.pendingActivities?.length).toBe(1);
    await handle.cancel();
    await handle.result();
    expect(calls.get(taskId)).toEqual(['follow']);
    await keepHistory('generate-video-1-cancelled-while-queued', await handle.fetchHistory());
  });

  it('a cancel is only a hint: a task whose row is still active goes on to its end', async () => {
    const { taskId, handle } = await start({
      generate: [() => Context.current().cancelled, to('finish')],
      follow: [to('generate')],
      finish: [to('ended')],
    });
    await expect.poll(() => calls.get(taskId)).toEqual(['generate']);
    await handle.cancel();
    await handle.result();
    expect(calls.get(taskId)).toEqual(['generate', 'follow', 'generate', 'finish']);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    await keepHistory('generate-video-1-cancelled-while-running', await handle.fetchHistory());
  });

  it('the workflow never fails, whatever its activities do, and ends only when one returns that the end is committed', async () => {
    const step = fc.constantFrom<() => Step>(to('generate'), to('follow'), to('finish'), throws, throwsForGood);
    const scriptsToRun = fc.sample(
      fc.record({
        generate: fc.array(step, { maxLength: 3 }),
        follow: fc.array(step, { maxLength: 2 }),
        finish: fc.array(step, { maxLength: 2 }),
        enter: fc.constantFrom<'generate' | 'follow'>('generate', 'follow'),
        isCancelled: fc.boolean(),
      }),
      { numRuns: 15, seed: 7 },
    );
    await Promise.all(
      scriptsToRun.map(async ({ enter, isCancelled, ...script }) => {
        const ends = to('ended');
        const { handle } = await start(
          { generate: [...script.generate, ends], follow: [...script.follow, ends], finish: [...script.finish, ends] },
          { enter },
        );
        if (isCancelled) await handle.cancel();
        await handle.result();
        expect((await handle.describe()).status.name).toBe('COMPLETED');
      }),
    );
  });
});

describe('the recorded histories', () => {
  it('the current version has recorded histories', async () => {
    expect((await readHistories()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['generate-video-1', 'generate-video-1-taken-over']),
    );
  });
});
