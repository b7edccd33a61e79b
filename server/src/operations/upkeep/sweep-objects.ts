import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { taskOfKey } from '../../domain/object-key.ts';
import type { Storage } from '../../storage/storage.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
}

/** Deletes old orphaned objects: no row refers to them, after a crash or a lost race. Returns their keys. */
export async function sweepObjects(
  { db, storage, clock }: Dependencies,
  options: { olderThanSeconds: number; isDryRun: boolean },
): Promise<string[]> {
  const moment = new Date(clock.now().getTime() - options.olderThanSeconds * 1000);
  const swept: string[] = [];
  for (const folder of await storage.listFolders()) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(folder)) continue;
    let current = { taskId: '', named: Promise.resolve({ keys: [] as string[], isActive: false }) };
    for await (const object of storage.list(`${folder}/`)) {
      const taskId = taskOfKey(object.key);
      if (taskId === null || object.modifiedAt > moment) continue;
      // Objects come in the order of their keys, so those of a task are neighbours and its row is read once.
      if (current.taskId !== taskId) current = { taskId, named: db.tasks.namedObjects(taskId) };
      const { keys, isActive } = await current.named;
      if (isActive || keys.includes(object.key)) continue;
      if (!options.isDryRun) await storage.delete([object.key]);
      swept.push(object.key);
    }
  }
  return swept;
}
