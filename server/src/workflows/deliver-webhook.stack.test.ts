import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryStep } from '../domain/delivery-step.ts';
import { strayId } from '../domain/id.fixture.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { keepHistory } from './histories.fixture.ts';
import { useTemporalWorkers } from './temporal-workers.fixture.ts';

/** What the activity returns for a delivery, one step per call. */
const scripts = new Map<string, (() => DeliveryStep)[]>();
/** How often each call said that its delivery was put off. */
const calls = new Map<string, number[]>();

const temporal = useTemporalWorkers();
let stop: () => Promise<void>;

beforeAll(async () => {
  const workflowBundle = await openWorkflowBundle();
  const deliver = async ({ deliveryId, timesPutOff }: { deliveryId: string; timesPutOff: number }) => {
    const before = calls.get(deliveryId) ?? [];
    calls.set(deliveryId, [...before, timesPutOff]);
    const step = scripts.get(deliveryId)?.[before.length];
    if (!step) throw new Error('the script has no step for this call');
    return step();
  };
  stop = await temporal.runWorkers({ taskQueue: 'webhooks', workflowBundle, activities: { deliver } });
});
afterAll(() => stop?.());

async function run(script: (() => DeliveryStep)[], deliveryId = strayId('del', new Date())) {
  scripts.set(deliveryId, script);
  calls.delete(deliveryId);
  const handle = await temporal.client.workflow.start('deliverWebhook', {
    workflowId: deliveryId.slice(0, 40), // a test may make the id of its delivery long
    taskQueue: 'webhooks',
    args: [{ deliveryId }],
  });
  await handle.result();
  const history = await temporal.historyOf(handle.workflowId, handle.firstExecutionRunId);
  return { history, calls: calls.get(deliveryId) ?? [] };
}

const done = (): DeliveryStep => ({ kind: 'done' });
const again = (afterSeconds: number) => (): DeliveryStep => ({ kind: 'again', afterSeconds });
const later = (afterSeconds: number) => (): DeliveryStep => ({ kind: 'later', afterSeconds });
const fails = () => {
  throw new Error('the worker failed');
};

describe.concurrent('the workflow of a delivery', () => {
  it('a delivery that ends at its first try takes 11 history events, without a prompt or URL', async () => {
    const { history, calls: made } = await run([done]);
    expect(made).toHaveLength(1);
    expect(history.events).toHaveLength(11);
    await keepHistory('deliver-webhook-1', history);
  });

  it('the workflow waits as long as each step says, and counts how often it was put off since the last try', async () => {
    const { history, calls: made } = await run([later(0), later(0.5), again(1), later(0), done]);
    expect(made).toEqual([0, 1, 2, 0, 1]);
    const waits = history.events?.flatMap(({ timerStartedEventAttributes: timer }) =>
      timer ? [optionalTsToMs(timer.startToFireTimeout)] : [],
    );
    expect(waits).toEqual([1, 500, 1_000, 1]); // the shortest timer of Temporal takes 1 ms
    await keepHistory('deliver-webhook-1-put-off', history);
  });

  it('the workflow retries the activity for as long as the infrastructure fails', async () => {
    const { calls: made } = await run([fails, fails, done]);
    expect(made).toHaveLength(3);
  });

  it('a delivery that has used up its tries can be revived: its workflow runs again under the same id', async () => {
    const id = strayId('del', new Date());
    const dead = await run([again(0), again(0), done], id);
    await keepHistory('deliver-webhook-1-dead', dead.history);
    const revived = await run([later(0), done], id);
    expect(revived.calls).toEqual([0, 1]);
    await keepHistory('deliver-webhook-1-revived', revived.history);
  });

  it('a delivery with a long history continues in a new run, which counts anew how often it was put off', async () => {
    // Temporal suggests a new run from 4 MB on; a long id gets there with few events.
    const longId = strayId('del', new Date()).padEnd(600_000, 'x');
    const tries = Array.from({ length: 9 }, () => later(0));
    const { history, calls: made } = await run([...tries, done], longId);
    expect(made).toHaveLength(10);
    expect(made.slice(1)).toContain(0);
    await keepHistory('deliver-webhook-1-continues', history);
  });
});
