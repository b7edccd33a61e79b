import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useWorldPerTest } from '../operations/operations.fixture.ts';
import { useTemporal } from '../operations/queue/temporal.fixture.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { relayOutbox } from './outbox-relay.ts';

const temporal = useTemporal();
const world = useWorldPerTest();
let workflows: WorkflowClient;
beforeEach(() => {
  workflows = temporal.workflowsFor(world.db, world.log);
});

const rows = () => world.db.kysely.selectFrom('outbox').select(['kind', 'tries', 'due_at']).orderBy('id').execute();

describe('the outbox', () => {
  it('the relay leaves a message to its writer for two seconds, then starts the workflow and deletes the message', async () => {
    const task = await world.accept(await world.newProject({ weight: 2 }));
    await relayOutbox({ ...world, workflows });
    expect(await workflows.state(task.id)).toBe('missing');
    await world.moveClock(2);
    await relayOutbox({ ...world, workflows });
    expect(await workflows.state(task.id)).toBe('running');
    expect(await rows()).toEqual([]);
  });

  it('Temporal ends a workflow that is stuck, after 32 days', async () => {
    const task = await world.accept(await world.newProject());
    await world.moveClock(2);
    await relayOutbox({ ...world, workflows });
    const { raw } = await temporal.client.workflow.getHandle(task.id).describe();
    expect(optionalTsToMs(raw.executionConfig?.workflowExecutionTimeout)).toBe(32 * 24 * 60 * 60 * 1000);
  });

  it('a message that did not reach Temporal stays in the outbox with a later due time', async () => {
    const task = await world.accept(await world.newProject());
    await world.moveClock(2);
    const first = world.clock.now();
    expect(await relayOutbox(world)).toBe(false);
    expect(await rows()).toEqual([{ kind: 'start', tries: 1, due_at: new Date(first.getTime() + 1000) }]);
    // The message is not due before then, however often the relay polls.
    await relayOutbox(world);
    expect(await rows()).toMatchObject([{ tries: 1 }]);
    for (let tries = 1; tries < 8; tries += 1) {
      await world.moveClock(10);
      await relayOutbox(world);
    }
    expect(await rows()).toEqual([{ kind: 'start', tries: 8, due_at: new Date(world.clock.now().getTime() + 2_000) }]);
    await world.moveClock(10);
    await relayOutbox({ ...world, workflows });
    expect(await workflows.state(task.id)).toBe('running');
    expect(await rows()).toEqual([]);
  });

  it('a relay skips messages that another relay works on', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const tasks = await Promise.all(Array.from({ length: 5 }, () => world.accept(project)));
    await world.moveClock(2);
    await world.db.transaction(async ({ outbox }) => {
      const held = await outbox.takeDue(2);
      expect(held).toHaveLength(2);
      await relayOutbox({ ...world, workflows });
      const states = await Promise.all(tasks.map(async ({ id }) => ({ id, state: await workflows.state(id) })));
      const missing = states.filter(({ state }) => state === 'missing').map(({ id }) => id);
      expect(new Set(missing)).toEqual(new Set(held.map((message) => message.kind !== 'deliver' && message.taskId)));
    });
    expect(await rows()).toHaveLength(2);
    await relayOutbox({ ...world, workflows });
    expect(await rows()).toEqual([]);
  });

  it('no workflow is started twice, however many relays there are', async () => {
    const project = await world.newProject({ runningLimit: 20 });
    const tasks = await Promise.all(Array.from({ length: 20 }, () => world.accept(project)));
    await world.moveClock(2);
    await Promise.all(Array.from({ length: 4 }, () => relayOutbox({ ...world, workflows })));
    expect(await rows()).toEqual([]);
    const runs = await Promise.all(tasks.map(({ id }) => temporal.client.workflow.getHandle(id).describe()));
    const restarted = await Promise.all(
      tasks.map(async ({ id, projectId, pool }) => {
        await workflows.start({
          kind: 'start',
          outboxId: '0',
          taskId: id,
          projectId,
          pool,
          weight: 1,
          enter: 'generate',
        });
        return temporal.client.workflow.getHandle(id).describe();
      }),
    );
    expect(restarted.map(({ runId }) => runId)).toEqual(runs.map(({ runId }) => runId));
  });

  it('the relay passes a cancel on, and deletes one for which there is no workflow', async () => {
    const project = await world.newProject();
    const started = await world.accept(project);
    await world.moveClock(2);
    await relayOutbox({ ...world, workflows });
    const unstarted = await world.accept(project);
    await cancelTask(world, started.id);
    await cancelTask(world, unstarted.id);
    await world.db.kysely.deleteFrom('outbox').where('kind', '=', 'start').execute();
    expect(await rows()).toMatchObject([{ kind: 'cancel' }, { kind: 'cancel' }]);
    await relayOutbox({ ...world, workflows });
    expect(await rows()).toEqual([]);
    expect(await workflows.state(unstarted.id)).toBe('missing');
    const history = await temporal.client.workflow.getHandle(started.id).fetchHistory();
    expect(history.events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes)).toBe(true);
  });

  it('the writer of a message deletes it after starting the workflow at once, without the relay', async () => {
    const task = await world.accept(await world.newProject());
    const messages = await world.messages();
    workflows.startSoon(messages.filter((message) => message.kind !== 'cancel'));
    await expect.poll(rows).toEqual([]);
    expect(await workflows.state(task.id)).toBe('running');
  });

  it('a message stays for the relay while Temporal is unreachable, and its writer does not wait', async () => {
    await world.accept(await world.newProject());
    const messages = await world.messages();
    const warn = vi.spyOn(world.log, 'warn');
    expect(world.workflows.startSoon(messages.filter((message) => message.kind !== 'cancel'))).toBeUndefined();
    await expect.poll(() => warn.mock.calls).toMatchObject([[{ event: 'workflow.start_failed' }, expect.anything()]]);
    await world.workflows.close(); // deletes the rows that were to be deleted soon
    expect(await rows()).toHaveLength(1);
  });
});
