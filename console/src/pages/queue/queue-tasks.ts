import type { Task } from '@kinora/sdk';
import { keepKnown } from '../../api/keep-known.ts';
import { isEarlier } from '../../api/task-order.ts';

/** What the page knows of the queue. Times are milliseconds. */
export interface QueueTasks {
  known: ReadonlyMap<string, KnownTask>;
  /** The waiting tasks are known up to this id, in the order of the queue; null if all of them are. */
  loadedTo: string | null;
}

interface KnownTask {
  task: Task;
  seenAt: number;
}

/** A page of the list of tasks with one status, oldest first. */
export interface StatusPage {
  status: 'queued' | 'in_progress';
  /** The id that the page comes after; null for the first page. */
  after: string | null;
  tasks: readonly Task[];
  hasMore: boolean;
  requestedAt: number;
}

export interface QueueGroups {
  running: readonly Task[];
  waiting: readonly Task[];
  ended: readonly Task[];
}

/** More than a person looks back at in a queue; the gallery has the rest. */
export const mostEnded = 30;

export const nothingKnown: QueueTasks = { known: new Map(), loadedTo: '' };

/** Adds a page. Tasks that should be on it but are not have gone, unless they were seen after it was requested. */
export function withPage(queue: QueueTasks, page: StatusPage): QueueTasks {
  const { status, after, tasks, hasMore, requestedAt } = page;
  const last = tasks.at(-1)?.id ?? after ?? '';
  const listed = new Set(tasks.map(({ id }) => id));
  const known = new Map(queue.known);
  for (const [id, { task, seenAt }] of queue.known) {
    const belongs = task.status === status && (after === null || id > after) && (!hasMore || id <= last);
    if (belongs && !listed.has(id) && seenAt < requestedAt) known.delete(id);
  }
  for (const task of tasks) put(known, task, requestedAt);
  return { known, loadedTo: status === 'queued' ? loadedTo(queue, { hasMore, last }) : queue.loadedTo };
}

function loadedTo(queue: QueueTasks, { hasMore, last }: { hasMore: boolean; last: string }): string | null {
  if (!hasMore) return null;
  // All were known until now, so everything up to the newest of them is.
  const before = queue.loadedTo ?? groupsOf(queue).waiting.at(-1)?.id ?? '';
  return last > before ? last : before;
}

/** Adds tasks that changed or ended. Waiting tasks beyond what is loaded are left for their page. */
export function withChanges(queue: QueueTasks, tasks: readonly Task[], seenAt: number): QueueTasks {
  const known = new Map(queue.known);
  for (const task of tasks) {
    const isBeyond = task.status === 'queued' && queue.loadedTo !== null && task.id > queue.loadedTo;
    if (!isBeyond) put(known, task, seenAt);
  }
  for (const { id } of endedOf(known).slice(mostEnded)) known.delete(id);
  return { ...queue, known };
}

function put(known: Map<string, KnownTask>, task: Task, seenAt: number): void {
  const before = known.get(task.id);
  if (!before) known.set(task.id, { task, seenAt });
  else if (!isEarlier(task, before.task)) known.set(task.id, { task: keepKnown(before.task, task, seenAt), seenAt });
}

/** Returns the tasks as the page shows them: running and waiting in the order of the queue, the last ended first. */
export function groupsOf({ known }: QueueTasks): QueueGroups {
  const running: Task[] = [];
  const waiting: Task[] = [];
  for (const { task } of known.values()) {
    if (task.status === 'in_progress') running.push(task);
    if (task.status === 'queued') waiting.push(task);
  }
  return { running: running.sort(byId), waiting: waiting.sort(byId), ended: endedOf(known).slice(0, mostEnded) };
}

function endedOf(known: ReadonlyMap<string, KnownTask>): Task[] {
  const ended: Task[] = [];
  for (const { task } of known.values()) if (task.is_final) ended.push(task);
  return ended.sort((one, other) => (other.completed_at ?? 0) - (one.completed_at ?? 0) || byId(other, one));
}

/** Ids begin with the time of creation, and the queue of a project is served in that order. */
function byId(one: Task, other: Task): number {
  return one.id < other.id ? -1 : 1;
}
