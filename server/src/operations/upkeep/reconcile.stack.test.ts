import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { uuidFromId } from '../../domain/id.ts';
import { relayOutbox } from '../../relay/outbox-relay.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { beginOrThrow, newPlace, operator, useWorldPerTest } from '../operations.fixture.ts';
import { setProject } from '../projects/set-project.ts';
import { useTemporal } from '../queue/temporal.fixture.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { type Finding, type Round, reconcile } from './reconcile.ts';

const temporal = useTemporal();
const world = useWorldPerTest();
let workflows: WorkflowClient;
beforeEach(() => {
  workflows = temporal.workflowsFor(world.db, world.log);
});

const silenceSeconds = 60;

/** Runs one round of the reconciler after all tasks have been silent for long enough. */
async function round(options: { isDryRun?: boolean; client?: WorkflowClient } = {}): Promise<Finding[]> {
  return (await wholeRound(options)).findings;
}

async function wholeRound(options: { isDryRun?: boolean; client?: WorkflowClient } = {}): Promise<Round> {
  await world.moveClock(silenceSeconds + 1);
  const dependencies = { ...world, workflows: options.client ?? workflows, waitLimitHours: 24, silenceSeconds };
  return reconcile(dependencies, { isDryRun: options.isDryRun ?? false });
}

/** Relays the outbox messages that are due. */
const relay = () => relayOutbox({ ...world, workflows });

const startOf = ({ id: projectId }: Project, taskId: string) =>
  ({ kind: 'start', outboxId: '0', taskId, projectId, pool: 'animatic', weight: 1, enter: 'generate' }) as const;

/** Accepts a task whose workflow is lost: its outbox message is deleted, but Temporal has no workflow. */
async function acceptUnstarted() {
  const task = await world.accept(await world.newProject());
  await sql`delete from outbox`.execute(world.db.kysely);
  return task;
}

function everything() {
  return sql<Record<string, unknown>>`select
    (select json_agg(tasks order by id) from tasks) as tasks,
    (select json_agg(project_slots order by project_id, livemode) from project_slots) as slots,
    (select json_agg(outbox order by id) from outbox) as outbox,
    (select count(*) from usage) as usage, (select count(*) from events) as events`.execute(world.db.kysely);
}

describe('the reconciler', () => {
  it('the missing workflow of a queued task is restarted at generate', async () => {
    const task = await acceptUnstarted();
    expect(await round()).toEqual([{ kind: 'restarted', taskId: task.id, state: 'missing' }]);
    await relay();
    expect(await workflows.state(task.id)).toBe('running');
    expect(await temporal.inputOf(task.id)).toEqual({ taskId: task.id, pool: 'animatic', enter: 'generate' });
    expect(await round()).toEqual([]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', counters: { restarts: 1 } });
  });

  it('the missing workflow of a task in progress is restarted at follow', async () => {
    const task = await acceptUnstarted();
    await beginOrThrow(world, task);
    expect(await round()).toEqual([{ kind: 'restarted', taskId: task.id, state: 'missing' }]);
    await relay();
    expect(await temporal.inputOf(task.id)).toEqual({ taskId: task.id, pool: 'animatic', enter: 'follow' });
  });

  it('a terminated workflow is restarted twice, and the third time its task fails as internal_error', async () => {
    const task = await acceptUnstarted();
    await beginOrThrow(world, task);
    await workflows.start({ ...task, kind: 'start', taskId: task.id, outboxId: '0', weight: 1, enter: 'generate' });
    for (let count = 1; count <= 2; count += 1) {
      await temporal.client.workflow.getHandle(task.id).terminate();
      expect(await round()).toEqual([{ kind: 'restarted', taskId: task.id, state: 'failed' }]);
      await relay();
      expect(await workflows.state(task.id)).toBe('running');
    }
    await temporal.client.workflow.getHandle(task.id).terminate();
    expect(await round()).toEqual([{ kind: 'given-up', taskId: task.id, state: 'failed' }]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
    await world.expectCountersToBeRight();
    expect(await round()).toEqual([]);
  });

  it('a completed workflow is run again if the row is open, and the third time its task fails', async () => {
    const [queued, begun] = [await acceptUnstarted(), await acceptUnstarted()];
    await beginOrThrow(world, begun);
    await Promise.all([queued, begun].map(({ id }) => temporal.completeWorkflow(id)));
    const findings = [queued, begun].map(({ id }) => ({ kind: 'completed-without-end', taskId: id }));
    expect(await round()).toEqual(expect.arrayContaining(findings));
    await relay();
    expect(await temporal.inputOf(queued.id)).toMatchObject({ enter: 'generate' });
    expect(await temporal.inputOf(begun.id)).toMatchObject({ enter: 'follow' });
    expect(await round()).toEqual([]);
    expect(await world.db.tasks.find(begun.id)).toMatchObject({ status: 'in_progress', counters: { restarts: 1 } });
    await sql`update tasks set restarts = 2`.execute(world.db.kysely);
    await temporal.client.workflow.getHandle(queued.id).terminate();
    await temporal.completeWorkflow(queued.id);
    expect(await round()).toEqual([{ kind: 'given-up', taskId: queued.id, state: 'completed' }]);
  });

  it('many workflows that a version has outgrown start again at 50 per second', async () => {
    for (let count = 0; count < 3; count += 1) await acceptUnstarted();
    const client = { ...workflows, state: async () => 'failed' as const, outgrownBy: async () => '7.0.0' };
    expect(await round({ client })).toHaveLength(3);
    const { rows } = await sql<{ milliseconds: number }>`
      select extract(epoch from due_at - created_at)::float8 * 1000 as milliseconds from outbox order by due_at`.execute(
      world.db.kysely,
    );
    expect(rows.map(({ milliseconds }) => Math.round(milliseconds))).toEqual([0, 20, 40]);
  });

  it('a workflow whose worker fails again and again to go on with it is reported as stuck in each round, and left alone', async () => {
    const task = await acceptUnstarted();
    await temporal.failWorkflowTasks(task.id, 5);
    await expect.poll(() => workflows.state(task.id)).toBe('stuck');
    for (let count = 0; count < 2; count += 1) expect(await round()).toEqual([{ kind: 'stuck', taskId: task.id }]);
    expect((await world.db.tasks.find(task.id))?.counters.restarts).toBe(0);
  });

  it('a task that was waiting while its workflow had completed is run once it is admitted', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const task = await world.accept(project);
    await temporal.completeWorkflow(task.id);
    await setProject(world, operator, project.id, { runningLimit: 1 });
    await world.moveClock(3);
    await relay();
    expect(await workflows.state(task.id)).toBe('completed'); // an ordinary start never repeats a completed workflow
    expect(await round()).toEqual([{ kind: 'completed-without-end', taskId: task.id }]);
    await relay();
    expect(await workflows.state(task.id)).toBe('running');
  });

  it('the reconciler finds nothing while Temporal is unreachable, and checks again when it is back', async () => {
    const task = await acceptUnstarted();
    const before = await everything();
    const { findings, failures } = await wholeRound({ client: world.workflows });
    expect({ findings, steps: failures.map(({ step }) => step) }).toEqual({ findings: [], steps: ['silent'] });
    expect((await everything()).rows).toEqual(before.rows);
    expect(await round()).toHaveLength(1);
    expect((await world.db.tasks.find(task.id))?.counters.restarts).toBe(1);
  });

  it('a task that shows a sign of life or has a message in the outbox is left alone', async () => {
    const alive = await acceptUnstarted();
    await world.accept(await world.newProject()); // its start is still in the outbox
    await world.moveClock(silenceSeconds);
    const entry = { taskId: alive.id, attempt: 1, stage: 'rendering', progress: 1, progressSource: 'none' } as const;
    await world.db.liveEntries.write([entry], new Date(world.clock.now().getTime() + 1000));
    expect(await round()).toEqual([]);
  });

  it('one restart is counted if several relays reconcile at the same moment', async () => {
    const task = await acceptUnstarted();
    await world.moveClock(silenceSeconds + 1);
    const dependencies = { ...world, workflows, waitLimitHours: 24, silenceSeconds };
    const rounds = await Promise.all([1, 2, 3].map(() => reconcile(dependencies, { isDryRun: false })));
    expect(rounds.flatMap(({ findings }) => findings)).toHaveLength(1);
    expect((await world.db.tasks.find(task.id))?.counters.restarts).toBe(1);
  });

  it('counters that disagree with the rows are corrected, and the tasks that they kept waiting are admitted', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    for (let count = 0; count < 4; count += 1) await world.accept(project);
    await sql`update project_slots set running = 7, waiting = 0 where livemode`.execute(world.db.kysely);
    const mode = { projectId: project.id, livemode: true };
    expect(await round({ client: world.workflows })).toEqual([
      { kind: 'miscounted', ...mode, before: { running: 7, waiting: 0 }, after: { running: 2, waiting: 2 } },
    ]);
    await world.expectCountersToBeRight();
    await world.db.projects.set(project.id, { runningLimit: 3 }, world.clock.now()); // without the admission that belongs to it
    expect(await round({ client: world.workflows })).toEqual([{ kind: 'admitted', ...mode, count: 1 }]);
    expect(await world.slotsOf(project)).toMatchObject({ running: 3, waiting: 1 });
    expect(await round({ client: world.workflows })).toEqual([]);
  });

  it('a round of a turn counts at most 500 projects, the next one goes on behind them, and no round counts none', async () => {
    await sql`with added as (
        insert into projects (id, name, created_at)
        select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'seeded', now() from generate_series(1, 600) n
        returning id)
      insert into project_slots (project_id, livemode, cap, running)
      select id, livemode, 0, case when id::text ~ '000(1|500|501)$' and livemode then 3 else 0 end
      from added, (values (true), (false)) mode (livemode)`.execute(world.db.kysely);
    const turn = { after: null };
    const miscounted = async () => {
      const { findings } = await reconcile(
        { ...world, workflows: world.workflows, waitLimitHours: 24, silenceSeconds },
        { isDryRun: true, turn },
      );
      return findings.filter(({ kind }) => kind === 'miscounted').length;
    };
    expect([await miscounted(), await miscounted(), await miscounted(), await miscounted()]).toEqual([2, 1, 2, 1]);
    expect((await wholeRound({ isDryRun: true, client: world.workflows })).findings).toHaveLength(3);
  });

  it('wrong counters of pools are corrected even if those of the project are right', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    await world.accept(project);
    await world.accept(project, { request: { pool: 'gpus' } });
    await sql`update pool_waiting set waiting = 5 where pool = 'gpus'`.execute(world.db.kysely);
    await sql`insert into pool_waiting select project_id, livemode, 'gone', 3 from pool_waiting where pool = 'gpus'`.execute(
      world.db.kysely,
    );
    expect(await round({ client: world.workflows })).toEqual([]);
    await world.expectCountersToBeRight();
  });

  it('a task that no engine took within 24 hours fails, and no other task does', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    const begun = await world.accept(project);
    await beginOrThrow(world, begun);
    await world.moveClock(0.001);
    const admitted = await world.accept(project);
    await world.moveClock(0.001);
    const waiting = await world.accept(project);
    await world.moveClock(24 * 60 * 60 - silenceSeconds - 100);
    expect(await round({ client: world.workflows })).toEqual([]);
    const young = await world.accept(project);
    await world.moveClock(100);
    expect(await round({ client: world.workflows })).toEqual([
      { kind: 'waited-too-long', taskId: admitted.id },
      { kind: 'waited-too-long', taskId: waiting.id },
    ]);
    expect(await world.db.tasks.find(waiting.id)).toMatchObject({
      status: 'failed',
      error: { code: 'deadline_exceeded' },
    });
    expect(await world.db.tasks.find(begun.id)).toMatchObject({ status: 'in_progress' });
    expect(await world.db.tasks.find(young.id)).toMatchObject({ status: 'queued', counters: { isAdmitted: true } });
    await world.expectCountersToBeRight();
  });

  it('a task ends 14 hours after the wait limit, whatever its attempts and whatever Temporal says', async () => {
    const project = await world.newProject({ runningLimit: 3 });
    const retried = await world.accept(project);
    await world.moveClock(0.001); // ids of the same millisecond have a random order
    const running = await world.accept(project);
    const { attempt } = await beginOrThrow(world, retried);
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    const place = newPlace();
    await beginOrThrow(world, running, place);
    await relay();
    for (const { id } of [retried, running]) await workflows.start(startOf(project, id));
    await world.moveClock(38 * 60 * 60 - silenceSeconds - 10);
    expect(await round()).toEqual([]);
    const young = await world.accept(project);
    await world.moveClock(10);
    expect(await round()).toEqual([
      { kind: 'lived-too-long', taskId: retried.id },
      { kind: 'lived-too-long', taskId: running.id },
    ]);
    for (const { id } of [retried, running]) {
      expect(await world.db.tasks.find(id)).toMatchObject({ status: 'failed', error: { code: 'deadline_exceeded' } });
    }
    const { freeSlots, draining } = await world.db.leases.ofEndpoint(place.endpointId);
    expect({ freeSlots, draining: draining.length }).toEqual({ freeSlots: [], draining: 1 });
    expect(await world.db.tasks.find(young.id)).toMatchObject({ status: 'queued' });
    await world.expectCountersToBeRight();
  });

  it('a project that cannot be recounted and a task that cannot be ended keep no other from being seen to', async () => {
    const stuck = await world.newProject();
    const [endless, overdue] = [await world.accept(stuck), await world.accept(await world.newProject())];
    await world.moveClock(24 * 60 * 60);
    await sql`update project_slots set running = 7 where livemode`.execute(world.db.kysely);
    const lost = await acceptUnstarted();
    const [slots, usage] = [uuidFromId('proj', stuck.id), uuidFromId('task', endless.id)].map((id) => sql.lit(id));
    await sql`alter table project_slots add check (project_id <> ${slots} or not livemode or running = 7)`.execute(
      world.db.kysely,
    );
    await sql`alter table usage add check (task_id <> ${usage})`.execute(world.db.kysely);
    const { findings, failures } = await wholeRound();
    expect(failures.map(({ step }) => step)).toEqual(['recount', 'wait-limit']);
    const mode = { projectId: overdue.projectId, livemode: true };
    const counts = { before: { running: 7, waiting: 0 }, after: { running: 1, waiting: 0 } };
    expect(findings).toEqual(
      expect.arrayContaining([
        { kind: 'miscounted', ...mode, ...counts },
        { kind: 'waited-too-long', taskId: overdue.id },
        { kind: 'restarted', taskId: lost.id, state: 'missing' },
      ]),
    );
  });

  it('a dry run reports what it would do and changes nothing', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const old = await acceptUnstarted();
    const missing = await acceptUnstarted();
    await beginOrThrow(world, missing);
    await world.moveClock(25 * 60 * 60);
    await world.accept(project);
    await sql`update project_slots set waiting = 9 where project_id = (select project_id from project_slots limit 1)`.execute(
      world.db.kysely,
    );
    const before = await everything();
    const findings = await round({ isDryRun: true });
    expect(findings.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['miscounted', 'waited-too-long', 'restarted']),
    );
    expect(findings).toContainEqual({ kind: 'waited-too-long', taskId: old.id });
    expect((await everything()).rows).toEqual(before.rows);
  });
});
