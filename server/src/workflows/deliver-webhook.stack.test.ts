import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryStep } from '../domain/delivery-step.ts';
import { newId } from '../domain/id.ts';
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

async function run(...script: (() => DeliveryStep)[]) {
  const deliveryId = newId('del', new Date());
  scripts.set(deliveryId, script);
  const handle = await temporal.client.workflow.start('deliverWebhook', {
    workflowId: deliveryId,
    taskQueue: 'webhooks',
    args: [{ deliveryId }],
  });
  await handle.result();
  return { history: await handle.fetchHistory(), calls: calls.get(deliveryId) ?? [] };
}

const done = (): DeliveryStep => ({ kind: 'done' });
const again = (afterSeconds: number) => (): DeliveryStep => ({ kind: 'again', afterSeconds });
const later = (afterSeconds: number) => (): DeliveryStep => ({ kind: 'later', afterSeconds });
const fails = () => {
  throw new Error('the worker failed');
};

describe.concurrent('the workflow of a delivery', () => {
  it('a delivery that ends at its first try takes 11 history events, without a prompt or URL', async () => {
    const { history, calls: made } = await run(done);
    expect(made).toHaveLength(1);
    expect(history.events).toHaveLength(11);
    await keepHistory('deliver-webhook-1', history);
  });

  it('the workflow waits as long as each step says, and counts how often it was put off since the last try', async () => {
    const { history, calls: made } = await run(later(0), later(0.5), again(1), later(0), done);
    expect(made).toEqual([0, 1, 2, 0, 1]);
    const waits = history.events?.flatMap(({ timerStartedEventAttributes: timer }) =>
      timer ? [optionalTsToMs(timer.startToFireTimeout)] : [],
    );
    expect(waits).toEqual([1, 500, 1_000, 1]); // the shortest timer of Temporal takes 1 ms
    await keepHistory('deliver-webhook-1-put-off', history);
  });

  it('the workflow retries the activity for as long as the infrastructure fails', async () => {
    const { calls: made } = await run(fails, fails, done);
    expect(made).toHaveLength(3);
  });
});
