import { beforeAll, beforeEach, expect, it } from 'vitest';
import { relayOutbox } from '../../relay/outbox-relay.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { newWebhookSecret } from '../../webhooks/sign.ts';
import { callerOf, useWorld } from '../operations.fixture.ts';
import { useTemporal } from '../queue/temporal.fixture.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { createWebhookEndpoint } from './create-webhook-endpoint.ts';
import { reviveDeliveries } from './revive-deliveries.ts';
import { sendWebhookTest } from './send-webhook-test.ts';

const temporal = useTemporal();
const world = useWorld();
let workflows: WorkflowClient;

beforeAll(async () => {
  workflows = temporal.workflowsFor(world.db, world.log);
});
beforeEach(async () => {
  await world.db.kysely.deleteFrom('webhook_deliveries').execute();
  await world.db.kysely.deleteFrom('outbox').execute();
});

/** Creates a delivery that no worker processes; only the relay of this test starts its workflow. */
async function newDelivery() {
  const project = await world.newProject();
  const owner = callerOf(project);
  const tools = { box: createSecretBox(['a-key-of-at-least-32-characters-for-tests']), newSecret: newWebhookSecret };
  const given = { url: 'https://a.example/', description: '', events: [] };
  const { endpoint } = await createWebhookEndpoint({ ...world, ...tools }, owner, given);
  return { ...(await sendWebhookTest(world, owner, endpoint.id)), endpoint };
}
const relay = () => relayOutbox({ ...world, workflows });
const round = () => reviveDeliveries({ ...world, workflows }, false);

it('the relay starts the workflow of a delivery, with its id as the only input', async () => {
  const { id } = await newDelivery();
  await world.moveClock(3);
  await relay();
  expect(await workflows.state(id)).toBe('running');
  expect(await temporal.inputOf(id)).toEqual({ deliveryId: id });
  await relay();
  expect(await world.db.kysely.selectFrom('outbox').selectAll().execute()).toEqual([]);
});

it('a delivery whose workflow was terminated is restarted once it is overdue', async () => {
  const { id } = await newDelivery();
  await world.moveClock(3);
  await relay();
  await temporal.client.workflow.getHandle(id).terminate();
  expect(await round()).toEqual([]);
  await world.moveClock(700);
  expect(await round()).toEqual([{ kind: 'delivery-restarted', deliveryId: id, state: 'failed' }]);
  // There is no second restart for one loss: the outbox already has a message.
  expect(await round()).toEqual([]);
  await relay();
  expect(await workflows.state(id)).toBe('running');
});

it('a delivery whose workflow Temporal never had is restarted', async () => {
  const { id } = await newDelivery();
  await world.db.kysely.deleteFrom('outbox').execute();
  await world.moveClock(700);
  expect(await round()).toEqual([{ kind: 'delivery-restarted', deliveryId: id, state: 'missing' }]);
});

it('a delivery that waits is left alone and not checked again for a while', async () => {
  await newDelivery();
  await world.moveClock(700);
  await relay();
  expect(await round()).toEqual([]);
  expect(await world.db.webhookDeliveries.overdue(world.clock.now(), 10)).toEqual([]);
  await world.moveClock(700);
  expect(await world.db.webhookDeliveries.overdue(world.clock.now(), 10)).toHaveLength(1);
});

it('a delivery whose workflow completed without ending it is marked dead', async () => {
  const { id } = await newDelivery();
  await world.db.kysely.deleteFrom('outbox').execute();
  await temporal.completeWorkflow(id);
  await world.moveClock(700);
  expect(await round()).toEqual([{ kind: 'delivery-without-end', deliveryId: id }]);
  expect(await world.db.webhookDeliveries.find(id)).toMatchObject({ status: 'dead', deadReason: 'lost' });
});

it('an unreachable Temporal is not a finding, and a dry run changes nothing', async () => {
  const { id } = await newDelivery();
  await world.db.kysely.deleteFrom('outbox').execute();
  await world.moveClock(700);
  expect(await reviveDeliveries(world, false)).toEqual([]);
  expect(await reviveDeliveries({ ...world, workflows }, true)).toMatchObject([{ deliveryId: id }]);
  expect(await world.db.kysely.selectFrom('outbox').selectAll().execute()).toEqual([]);
});
