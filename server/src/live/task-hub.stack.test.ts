import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Project } from '../db/access/project-table.ts';
import { listenForNotices } from '../db/connection/notice-table.ts';
import { connectDatabase, type Database } from '../db/database.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { strayId } from '../domain/id.fixture.ts';
import type { TaskView } from '../domain/task-view.ts';
import { useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { createLive } from './live.ts';
import { createNotices, type Notices } from './notices.ts';
import { createTaskHub, type TaskHub } from './task-hub.ts';
import type { EventWithView } from './watched-project.ts';

const world = useWorld();
/** Stands in for another process: notices announce what it commits. */
let elsewhere: Database;
let notices: Notices;
beforeAll(async () => {
  elsewhere = connectDatabase({
    url: world.url,
    poolSize: 5,
    applicationName: 'kinora-test',
    fileRetentionDays: 7,
    onIdleError: () => undefined,
    onTaskChanged: (change) => notices.changed(change),
  });
  notices = createNotices({ send: (payloads) => elsewhere.notices.send(payloads), clock: systemClock, log: world.log });
});
afterAll(async () => {
  await notices?.close();
  await elsewhere?.close();
});

/** Starts a hub that reads what is watched only when it listens and after a notice, or also every 15 s. */
function startHub({ rereads = false } = {}) {
  const reads: number[] = [];
  const listening = Promise.withResolvers<void>();
  if (!rereads) vi.useFakeTimers({ toFake: ['setInterval'] });
  const hub = createTaskHub({
    listen: ({ onNotice, onListening }) =>
      listenForNotices({
        databaseUrl: world.url,
        onNotice,
        onListening: () => {
          onListening();
          listening.resolve();
        },
      }),
    readViews: (taskIds) => {
      reads.push(taskIds.length);
      return world.db.taskViews.findMany(taskIds);
    },
    readEvents: (positions, limit) => world.db.events.after(positions, limit, world.clock.now()),
    clock: systemClock,
    log: world.log,
  });
  vi.useRealTimers();
  onTestFinished(() => hub.close());
  return { hub, reads, listening: listening.promise };
}

const cancel = (taskId: string) => cancelTask({ ...world, db: elsewhere, clock: systemClock }, taskId);
const waiting = (project: Project) => world.accept(project);
const idle = () => world.newProject({ runningLimit: 0 });

function watch(hub: TaskHub, taskId: string) {
  const views: (TaskView | null)[] = [];
  const stop = hub.watchTask(taskId, (view) => void views.push(view));
  return { views, stop, statuses: () => views.map((view) => view?.task.status) };
}

async function watchAll(hub: TaskHub, project: Project) {
  const events: EventWithView[] = [];
  const changed: TaskView[] = [];
  const stop = await hub.watchProject(
    { projectId: project.id, livemode: true },
    { onEvents: (found) => void events.push(...found), onChanged: (views) => void changed.push(...views) },
  );
  return { events, changed, stop };
}

/** Ends every connection that listens, as a restart of Postgres would. */
async function killListeners(): Promise<number> {
  const { rows } = await sql<{ killed: boolean }>`select pg_terminate_backend(pid) as killed from pg_stat_activity
    where application_name = 'kinora-listen' and datname = current_database()`.execute(world.db.kysely);
  return rows.filter(({ killed }) => killed).length;
}

describe('watching a task', () => {
  it('reports the current state, and a change that another process has committed', async () => {
    const { hub } = startHub();
    const task = await waiting(await idle());
    const { statuses, stop } = watch(hub, task.id);
    await expect.poll(() => statuses()[0]).toBe('queued');
    await cancel(task.id);
    await expect.poll(() => statuses().at(-1)).toBe('cancelled');
    stop();
  });

  it('reports nothing about a change that was rolled back', async () => {
    const changes: string[] = [];
    const other = connectDatabase({
      url: world.url,
      poolSize: 2,
      applicationName: 'kinora-test',
      fileRetentionDays: 7,
      onIdleError: () => undefined,
      onTaskChanged: ({ taskId, version }) => void changes.push(`${taskId} ${version}`),
    });
    onTestFinished(() => other.close());
    const task = await waiting(await idle());
    const failing = other.transaction(async (tables) => {
      await tables.tasks.change(task.id, 'cancel', {}, { completedAt: new Date() });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(changes).toEqual([]);
    await cancelTask({ ...world, db: other, clock: systemClock }, task.id);
    expect(changes).toEqual([`${task.id} 2`]);
  });

  it('reports after a reconnect what changed while the connection was lost', async () => {
    const { hub, listening } = startHub();
    const task = await waiting(await idle());
    const { statuses } = watch(hub, task.id);
    await expect.poll(() => statuses().length).toBeGreaterThan(0);
    await listening;
    expect(await killListeners()).toBe(1);
    await cancel(task.id);
    await expect.poll(() => statuses().at(-1)).toBe('cancelled');
  });

  it('reads the tasks of many watchers in one query, and gives all of them the same view', async () => {
    const { hub, reads, listening } = startHub();
    await listening;
    const project = await idle();
    const tasks = await Promise.all(Array.from({ length: 20 }, () => waiting(project)));
    const watches = tasks.flatMap((task) => Array.from({ length: 5 }, () => watch(hub, task.id)));
    await expect.poll(() => watches.every(({ views }) => views.length > 0)).toBe(true);
    reads.length = 0;
    await world.db.notices.send([tasks.map(({ id }) => `${id},${project.id},live,2`).join(' ')]);
    await expect.poll(() => reads).toEqual([20]);
    const [first, second] = watches;
    expect(first?.views.at(-1)).toBe(second?.views.at(-1));
  });

  it('reports progress', async () => {
    const { hub } = startHub();
    const begun = await world.begin(await waiting(await world.newProject({ runningLimit: 1 })));
    if (begun.kind !== 'begun') throw new Error('the task did not begin');
    const { task } = begun;
    const { views } = watch(hub, task.id);
    const live = createLive({ ...world, onWritten: (change) => notices.changed(change) });
    onTestFinished(() => live.close());
    live.report(task, { attempt: 1, stage: 'rendering', progress: 42, progressSource: 'engine' });
    await expect.poll(() => views.at(-1)?.live?.progress).toBe(42);
  });
});

describe('watching a project', () => {
  it('reports each event once to every watcher of the project, and to no other watcher', async () => {
    const { hub } = startHub();
    const project = await idle();
    const before = await waiting(project);
    await cancel(before.id); // before the project is watched
    const one = await watchAll(hub, project);
    const two = await watchAll(hub, project);
    const foreign = await watchAll(hub, await idle());
    const tasks = await Promise.all(Array.from({ length: 10 }, () => waiting(project)));
    await Promise.all(tasks.map(({ id }) => cancel(id)));
    await expect.poll(() => one.events.length).toBe(10);
    await expect.poll(() => two.events.length).toBe(10);
    await world.db.notices.send([`${before.id},${project.id},live,9`]);
    const last = await waiting(project);
    await cancel(last.id);
    await expect.poll(() => one.events.length).toBe(11);
    expect(new Set(one.events.map(({ event }) => event.taskId))).toEqual(new Set([...tasks, last].map(({ id }) => id)));
    expect(one.events[0]).toBe(two.events[0]);
    expect(foreign.events).toEqual([]);
    one.stop();
    two.stop();
  });

  it('reports an event that was committed after a later one', async () => {
    const { hub } = startHub({ rereads: true });
    const project = await idle();
    const { events: sent } = await watchAll(hub, project);
    const [late, early] = [await waiting(project), await waiting(project)];
    await cancel(early.id);
    await expect.poll(() => sent.length).toBe(1);
    const at = new Date((sent[0]?.event.createdAt.getTime() ?? 0) - 1);
    await cancelTask({ ...world, db: elsewhere, clock: clockAt(() => at) }, late.id);
    // If all of this took longer than an ordinary read reaches back, the wide read finds the event.
    await expect.poll(() => sent.map(({ event }) => event.taskId)).toEqual([early.id, late.id]);
    expect(sent[1]?.event.id.localeCompare(sent[0]?.event.id ?? '')).toBe(-1);
  });

  it('reports more events than fit into one read', async () => {
    const { hub } = startHub({ rereads: true });
    const project = await idle();
    const { events: sent } = await watchAll(hub, project);
    const task = await waiting(project);
    const events = 1_234;
    await world.db.transaction(async (tables) => {
      for (let index = 0; index < events; index += 1) await tables.events.add('video.started', task, new Date());
    });
    await world.db.notices.send([`${task.id},${project.id},live,1`]);
    // If the commit took longer than an ordinary read reaches back, the wide read finds the rest.
    await expect.poll(() => sent.length).toBe(events);
    expect(new Set(sent.map(({ event }) => event.id)).size).toBe(events);
    expect(strayId('evt', new Date()) > (sent.at(-1)?.event.id ?? '')).toBe(true);
  });
});
