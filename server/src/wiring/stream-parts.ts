import type { KeyUser } from '../db/access/find-refusals.ts';
import { listenForNotices } from '../db/connection/notice-table.ts';
import { createTaskHub } from '../live/task-hub.ts';
import { readEvents } from '../operations/events/read-events.ts';
import type { Forecasts } from '../operations/queue/forecasts.ts';
import { readSignedTask } from '../operations/tasks/read-signed-task.ts';
import type { Foundation } from './foundation.ts';

/** Wires what event streams and waiting requests need. The hub listens from now on and must be closed. */
export function streamParts({ config, db, clock, log }: Foundation, forecasts: Forecasts) {
  const hub = createTaskHub({
    listen: (hear) => listenForNotices({ databaseUrl: config.KINORA_DATABASE_URL, ...hear }),
    readViews: async (taskIds) => forecasts.add(await db.taskViews.findMany(taskIds)),
    readEvents: (positions, limit) => db.events.after(positions, limit, clock.now()),
    clock,
    log,
  });
  return {
    hub,
    readSignedTask: async (taskId: string) => forecasts.one(await readSignedTask({ db }, taskId)),
    readEvents: (...page: ReadEventsPage) => readEvents({ db, clock }, ...page),
    suspendedProjects: (projectIds: readonly string[]) => db.projects.suspended(projectIds),
    refusedKeys: (users: readonly KeyUser[]) => db.apiKeys.refused(users, clock.now()),
  };
}

type ReadEventsPage = Parameters<typeof readEvents> extends [unknown, ...infer Page] ? Page : never;
