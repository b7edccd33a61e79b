import type { EventPosition } from '../db/tasks/event-table.ts';
import type { Clock } from '../domain/clock.ts';
import type { TaskEvent } from '../domain/event.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import { isFinal } from '../domain/task.ts';
import type { TaskView } from '../domain/task-view.ts';
import { EventTrail } from './event-trail.ts';

/** How many events of a project are read at once. */
export const eventsAtOnce = 500;

/** An event with its task as the row is now. All watchers get the same object, so that it can be rendered once. */
export interface EventWithView {
  event: TaskEvent;
  view: TaskView;
}

export interface ProjectWatcher {
  /** Every event once, nearly in order. */
  onEvents: (events: readonly EventWithView[]) => void;
  /** Tasks that are not final and whose row or progress has changed. */
  onChanged: (views: readonly TaskView[]) => void;
}

export type ReadEvents = (positions: readonly EventPosition[], limit: number) => Promise<TaskEvent[]>;

/** What is to be read of a project. */
export interface Due {
  /** Tasks that have changed. */
  taskIds: Set<string>;
  /** Whether to read further back, for events that were committed late. */
  isWide: boolean;
}

/** One project and mode with its watchers. */
export class WatchedProject {
  readonly owner: ProjectMode;
  readonly watchers = new Set<ProjectWatcher>();
  /** Resolves once the earlier events are known, so that they are not reported as new. */
  readonly ready: Promise<void>;
  readonly #trail: EventTrail;
  #isReady = false;
  #due: Due | null = null;

  constructor(owner: ProjectMode, dependencies: { readEvents: ReadEvents; clock: Clock; onReady: () => void }) {
    this.owner = { projectId: owner.projectId, livemode: owner.livemode };
    this.#trail = new EventTrail(dependencies.clock.now());
    this.ready = this.#skipPast(dependencies).then(() => {
      this.#isReady = true;
      if (this.#due) dependencies.onReady();
    });
  }

  addDue({ taskIds, isWide }: { taskIds: Iterable<string>; isWide: boolean }): void {
    this.#due ??= { taskIds: new Set(), isWide: false };
    for (const taskId of taskIds) this.#due.taskIds.add(taskId);
    this.#due.isWide ||= isWide;
  }

  /** Returns what is due and clears it; null if nothing is due. */
  takeDue(): Due | null {
    if (!this.#isReady) return null;
    const due = this.#due;
    this.#due = null;
    return due;
  }

  positionOf({ isWide }: Pick<Due, 'isWide'>): EventPosition {
    return { ...this.owner, after: this.#trail.after(isWide) };
  }

  newOf(found: readonly TaskEvent[]): TaskEvent[] {
    return found.filter((event) => this.#trail.isNew(event));
  }

  /** Reports the new events of a read and the changed tasks to all watchers. Returns false if there is more to read. */
  notify(found: readonly TaskEvent[], due: Due, views: ReadonlyMap<string, TaskView>, readAt: Date): boolean {
    const news = this.newOf(found).flatMap((event) => {
      const view = views.get(event.taskId);
      return view ? [{ event, view }] : []; // the record may have been deleted before its last event was read
    });
    const isWhole = found.length < eventsAtOnce;
    this.#trail.note(found, readAt, isWhole);
    const changed = [...due.taskIds].flatMap((taskId) => {
      const view = views.get(taskId);
      return view && !isFinal(view.task.status) ? [view] : [];
    });
    for (const watcher of this.watchers) {
      if (news.length > 0) watcher.onEvents(news);
      if (changed.length > 0) watcher.onChanged(changed);
    }
    return isWhole;
  }

  async #skipPast({ readEvents, clock }: { readEvents: ReadEvents; clock: Clock }): Promise<void> {
    for (let isWhole = false; !isWhole; ) {
      const readAt = clock.now();
      const found = await readEvents([this.positionOf({ isWide: true })], eventsAtOnce);
      isWhole = found.length < eventsAtOnce;
      this.#trail.note(found, readAt, isWhole);
    }
  }
}
