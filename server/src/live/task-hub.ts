import type { NoticeListener } from '../db/connection/notice-table.ts';
import type { TaskChange } from '../db/tasks/task-table.ts';
import type { Clock } from '../domain/clock.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import type { TaskView } from '../domain/task-view.ts';
import type { Log } from '../telemetry/log.ts';
import { decodeNotices } from './notices.ts';
import { throttled } from './throttled.ts';
import { type Due, eventsAtOnce, type ProjectWatcher, type ReadEvents, WatchedProject } from './watched-project.ts';

const tickMilliseconds = 50;
/** A notice can be lost, so everything that is watched is read at this interval even without one. */
const rereadMilliseconds = 15_000;
const retryMilliseconds = 1_000;
const tasksAtOnce = 1_000;

type OnView = (view: TaskView | null) => void;

/** Notifies the watchers of tasks and projects of changes, at most 50 ms after a notice and with one query for all. */
export interface TaskHub {
  /** Reports a task now and after every change; null if its record is gone. Returns a function that stops watching. */
  watchTask(taskId: string, onView: OnView): () => void;
  /** Reports what happens in a project from the moment this resolves. It resolves to a function that stops watching. */
  watchProject(owner: ProjectMode, watcher: ProjectWatcher): Promise<() => void>;
  close(): Promise<void>;
}

interface Dependencies {
  listen: (handlers: { onNotice: (payload: string) => void; onListening: () => void }) => NoticeListener;
  readViews: (taskIds: readonly string[]) => Promise<TaskView[]>;
  readEvents: ReadEvents;
  clock: Clock;
  log: Log;
}

interface WatchedTask {
  watchers: Set<OnView>;
  /** The fingerprint of the view that was sent last; null if there was no view. */
  lastSent: string | null;
}

/** `isNews` means that the task is reported even if its view looks the same as the last one. */
type DueTasks = Map<string, { isNews: boolean }>;
type DueProject = Due & { project: WatchedProject };

export function createTaskHub({ listen, readViews, readEvents, clock, log }: Dependencies): TaskHub {
  const tasks = new Map<string, WatchedTask>();
  const projects = new Map<string, WatchedProject>();
  const dueTasks: DueTasks = new Map();
  const tick = throttled(clock, tickMilliseconds, runTick);
  let stopRetry: (() => void) | undefined;

  const listener = listen({
    onNotice: (payload) => {
      for (const change of decodeNotices(payload)) noteChange(change);
    },
    // Notices are lost while the connection is down, so everything that is watched is read once it is back.
    onListening: rereadAll,
  });
  const stopRereading = clock.every(rereadMilliseconds, rereadAll);

  function noteChange({ taskId, projectId, livemode }: TaskChange): void {
    const project = projects.get(keyOf({ projectId, livemode }));
    project?.addDue({ taskIds: [taskId], isWide: false });
    if (tasks.has(taskId)) dueTasks.set(taskId, { isNews: true });
    if (project || dueTasks.size > 0) tick.soon();
  }

  function rereadAll(): void {
    for (const taskId of tasks.keys()) if (!dueTasks.has(taskId)) dueTasks.set(taskId, { isNews: false });
    for (const project of projects.values()) project.addDue({ taskIds: [], isWide: true });
    if (tasks.size > 0 || projects.size > 0) tick.soon();
  }

  async function runTick(): Promise<void> {
    const due: DueTasks = new Map([...dueTasks].filter(([taskId]) => tasks.has(taskId)));
    dueTasks.clear();
    const dueProjects = [...projects.values()].flatMap((project): DueProject[] => {
      const dueOfProject = project.takeDue();
      return dueOfProject ? [{ project, ...dueOfProject }] : [];
    });
    try {
      await readAndNotify(due, dueProjects);
    } catch (error) {
      // Postgres is unavailable: the changes are reported once it is back.
      log.debug({ event: 'task_changes.read_failed', err: error }, 'task changes not read');
      for (const taskId of due.keys()) dueTasks.set(taskId, { isNews: true });
      for (const { project, ...dueOfProject } of dueProjects) project.addDue(dueOfProject);
      stopRetry?.();
      stopRetry = clock.after(retryMilliseconds, () => tick.soon());
    }
  }

  async function readAndNotify(due: DueTasks, dueProjects: readonly DueProject[]): Promise<void> {
    const readAt = clock.now();
    const positions = dueProjects.map(({ project, isWide }) => project.positionOf({ isWide }));
    // Events are read before rows, so that the row that is sent with an event contains the change.
    const events = Map.groupBy(positions.length === 0 ? [] : await readEvents(positions, eventsAtOnce), keyOf);
    const foundIn = ({ owner }: WatchedProject) => events.get(keyOf(owner)) ?? [];
    const views = await readInChunks([
      ...new Set([
        ...due.keys(),
        ...dueProjects.flatMap(({ taskIds }) => [...taskIds]),
        ...dueProjects.flatMap(({ project }) => project.newOf(foundIn(project)).map(({ taskId }) => taskId)),
      ]),
    ]);
    for (const [taskId, { isNews }] of due) {
      const task = tasks.get(taskId);
      if (task) notifyTask(task, views.get(taskId) ?? null, isNews);
    }
    for (const { project, ...dueOfProject } of dueProjects) {
      const isWhole = project.notify(foundIn(project), dueOfProject, views, readAt);
      if (isWhole) continue;
      project.addDue({ taskIds: [], isWide: false });
      tick.soon();
    }
  }

  async function readInChunks(taskIds: readonly string[]): Promise<Map<string, TaskView>> {
    const views = new Map<string, TaskView>();
    for (let index = 0; index < taskIds.length; index += tasksAtOnce) {
      for (const view of await readViews(taskIds.slice(index, index + tasksAtOnce))) views.set(view.task.id, view);
    }
    return views;
  }

  return {
    watchTask: (taskId, onView) => {
      const task: WatchedTask = tasks.get(taskId) ?? { watchers: new Set(), lastSent: null };
      // A new function, so that the same `onView` given twice makes two watchers.
      const watcher: OnView = (view) => onView(view);
      task.watchers.add(watcher);
      tasks.set(taskId, task);
      dueTasks.set(taskId, { isNews: true });
      tick.soon();
      return () => {
        task.watchers.delete(watcher);
        if (task.watchers.size === 0 && tasks.get(taskId) === task) tasks.delete(taskId);
      };
    },
    watchProject: async (owner, watcher) => {
      const key = keyOf(owner);
      const project = projects.get(key) ?? new WatchedProject(owner, { readEvents, clock, onReady: () => tick.soon() });
      projects.set(key, project);
      const own = { ...watcher };
      const stop = (): void => {
        project.watchers.delete(own);
        if (project.watchers.size === 0 && projects.get(key) === project) projects.delete(key);
      };
      project.watchers.add(own);
      try {
        await project.ready;
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
    close: async () => {
      stopRereading();
      stopRetry?.();
      await listener.close();
      await tick.close();
    },
  };
}

function notifyTask(task: WatchedTask, view: TaskView | null, isNews: boolean): void {
  const fingerprint =
    view && [view.task.version, view.live?.stage, view.live?.progress, view.forecast?.queuePosition].join(' ');
  if (!isNews && fingerprint === task.lastSent) return;
  task.lastSent = fingerprint;
  for (const onView of task.watchers) onView(view);
}

function keyOf({ projectId, livemode }: ProjectMode): string {
  return `${projectId} ${livemode}`;
}
