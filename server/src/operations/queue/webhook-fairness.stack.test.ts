import { expect, it } from 'vitest';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { newWebhookSecret } from '../../webhooks/sign.ts';
import { callerOf, useWorld } from '../operations.fixture.ts';
import { createWebhookEndpoint } from '../webhooks/create-webhook-endpoint.ts';
import { sendWebhookTest } from '../webhooks/send-webhook-test.ts';
import { useTemporal } from './temporal.fixture.ts';

const world = useWorld();
const temporal = useTemporal();

it('all deliveries of a project share one fairness key, however many endpoints it has', async () => {
  const owner = callerOf(await world.newProject());
  const { projectId } = owner;
  const secretTools = {
    box: createSecretBox(['a-key-of-at-least-32-characters-for-tests']),
    newSecret: newWebhookSecret,
  };
  const workflows = temporal.workflowsFor(world.db, world.log);
  const keyOf = async (url: string) => {
    const given = { url, description: '', events: [] };
    const { endpoint } = await createWebhookEndpoint({ ...world, ...secretTools }, owner, given);
    const delivery = await sendWebhookTest({ ...world, workflows }, owner, endpoint.id);
    const handle = temporal.client.workflow.getHandle(delivery.id);
    const isStarted = () => workflows.state(delivery.id).then((state) => state === 'running');
    await expect.poll(isStarted).toBe(true);
    const [started] = (await handle.fetchHistory()).events ?? [];
    return started?.workflowExecutionStartedEventAttributes?.priority?.fairnessKey;
  };
  expect(await keyOf('https://one.example.com/')).toBe(projectId);
  expect(await keyOf('https://two.example.com/')).toBe(projectId);
});
