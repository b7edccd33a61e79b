import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import { startWebhookReceiver, status } from '@kinora/stack/harness/webhook-receiver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentTestEvent } from '../api/presenters/present-webhook.ts';
import type { Project } from '../db/access/project-table.ts';
import { uuidFromId } from '../domain/id.ts';
import { callerOf, useWorld } from '../operations/operations.fixture.ts';
import type { WorkflowStart } from '../operations/queue/workflow-client.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { createWebhookEndpoint } from '../operations/webhooks/create-webhook-endpoint.ts';
import { listWebhookDeliveries } from '../operations/webhooks/read-webhook-delivery.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { loopbackPolicy } from '../outbound/outbound-policy.fixture.ts';
import { readRetryAfter } from '../webhooks/schedule.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import { newWebhookSecret, signWebhook } from '../webhooks/sign.ts';
import { createTryDelivery } from './deliver-activities.ts';
import { deliverFirst } from './deliver-first.ts';

const tools = { box: createSecretBox(['a-key-of-at-least-32-characters-for-tests']), newSecret: newWebhookSecret };
const tryMilliseconds = 60_000; // no try ends before the test ends it

const world = useWorld();
const receiver = forAllTests(startWebhookReceiver, (made) => made.close());
let fetcher: GuardedFetcher;

beforeAll(async () => {
  fetcher = createGuardedFetcher(loopbackPolicy(receiver.port));
});
afterAll(() => fetcher?.close());

/** Returns a worker that makes first tries, and the workflows that it starts. */
function newWorker() {
  const started: WorkflowStart[] = [];
  const workflows = {
    ...world.workflows,
    startSoon: (starts: readonly WorkflowStart[]) => void started.push(...starts),
  };
  const tryDelivery = createTryDelivery({
    ...world,
    ...tools,
    fetcher,
    sign: signWebhook,
    nextDelaySeconds: () => 300,
    readRetryAfter,
    bodyOf: async (delivery) => presentTestEvent(delivery),
    tryMilliseconds,
  });
  const first = deliverFirst({ ...world, workflows, tryDelivery, tryMilliseconds });
  /** Cancels a task, which is the cheapest event. */
  const causeEvent = async (project: Project): Promise<void> => {
    const task = await world.accept(project);
    await cancelTask({ ...world, workflows: first.workflows }, task.id);
  };
  return { started, causeEvent, close: () => first.close() };
}

let paths = 0;

/** Returns a project with one receiver. */
async function newProject() {
  const project = await world.newProject();
  const path = `/first-${(paths += 1)}`;
  const given = { url: receiver.url(path), description: '', events: [] };
  await createWebhookEndpoint({ ...world, ...tools }, callerOf(project), given);
  return { project, path };
}

async function deliveriesOf(project: Project) {
  const page = { after: null, limit: 100, order: 'asc' as const, filter: {} };
  return (await listWebhookDeliveries(world, callerOf(project), page)).deliveries;
}

/** Returns the outbox rows of the project's deliveries. */
function messagesOf(project: Project) {
  return world.db.kysely
    .selectFrom('outbox')
    .select(['due_at'])
    .where('kind', '=', 'deliver')
    .where('project_id', '=', uuidFromId('proj', project.id) ?? '')
    .execute();
}

const hangs = () => undefined;

describe('the first try of a delivery', () => {
  it('needs no workflow if the receiver accepts the event', async () => {
    const { project, path } = await newProject();
    const worker = newWorker();
    await worker.causeEvent(project);
    await expect.poll(async () => (await deliveriesOf(project))[0]?.status).toBe('delivered');
    await worker.close();
    expect(receiver.received(path)).toHaveLength(1);
    expect(worker.started).toEqual([]);
    expect(await messagesOf(project)).toEqual([]);
  });

  it('starts the workflow of the delivery if it fails, for the tries that follow', async () => {
    const { project, path } = await newProject();
    receiver.respondWith(path, status(500));
    const worker = newWorker();
    await worker.causeEvent(project);
    await expect.poll(() => worker.started).toHaveLength(1);
    const [delivery] = await deliveriesOf(project);
    expect(delivery).toMatchObject({ status: 'pending', tries: 1 });
    expect(worker.started).toMatchObject([{ kind: 'deliver', deliveryId: delivery?.id }]);
    expect(await messagesOf(project)).toHaveLength(1); // until the workflow has started
    await worker.close();
  });

  it('is not made twice by the relay while the receiver takes its time', async () => {
    const { project, path } = await newProject();
    receiver.respondWith(path, hangs);
    const worker = newWorker();
    await worker.causeEvent(project);
    const afterTry = world.clock.now().getTime() + tryMilliseconds;
    await expect.poll(async () => (await messagesOf(project))[0]?.due_at.getTime()).toBeGreaterThan(afterTry);
    await worker.close();
  });

  it('is left to a workflow if the worker shuts down during it', async () => {
    const { project, path } = await newProject();
    receiver.respondWith(path, hangs);
    const worker = newWorker();
    await worker.causeEvent(project);
    await expect.poll(() => receiver.received(path)).toHaveLength(1);
    await worker.close();
    expect(worker.started).toHaveLength(1);
    expect((await deliveriesOf(project))[0]).toMatchObject({ status: 'pending', tries: 0 });
    await worker.causeEvent(project);
    expect(worker.started).toHaveLength(2);
  });

  it('is left to workflows beyond 20 per project, so that receivers that hang leave room for others', async () => {
    const { project, path } = await newProject();
    const other = await newProject();
    receiver.respondWith(path, hangs);
    const worker = newWorker();
    for (let count = 0; count < 21; count += 1) await worker.causeEvent(project);
    expect(worker.started).toHaveLength(1);
    await worker.causeEvent(other.project);
    await expect.poll(async () => (await deliveriesOf(other.project))[0]?.status).toBe('delivered');
    await worker.close();
    expect(worker.started).toHaveLength(21);
  });
});
