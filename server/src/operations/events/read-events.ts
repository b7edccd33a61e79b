import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';

/** Returns a page of a project's events with their tasks as they are now. `next` is null if there is no more yet. */
export async function readEvents(
  { db, clock }: { db: Pick<Database, 'events' | 'taskViews'>; clock: Clock },
  { projectId, livemode }: ProjectMode,
  after: string,
  limit: number,
) {
  const events = await db.events.after([{ projectId, livemode, after }], limit, clock.now());
  const views = await db.taskViews.findMany([...new Set(events.map(({ taskId }) => taskId))]);
  const viewOf = new Map(views.map((view) => [view.task.id, view]));
  const last = events.length < limit ? undefined : events.at(-1);
  return {
    // A task's row is dropped a little before its last events are.
    events: events.flatMap((event) => {
      const view = viewOf.get(event.taskId);
      return view ? [{ event, view }] : [];
    }),
    next: last === undefined ? null : uuidFromId('evt', last.id),
  };
}
