import type { Operator } from '../../domain/actor.ts';
import { newId, uuidFromId } from '../../domain/id.ts';
import { contentKey } from '../../domain/object-key.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { acceptTask } from './accept-task.ts';
import { requireReadable } from './read-task.ts';

interface Dependencies extends WorkflowParts {
  storage: Storage;
}

/** Creates a task from the request of an old one. The old one stays as it ended: a final status never changes. */
export async function repeatTask(dependencies: Dependencies, operator: Operator, taskId: string): Promise<Task> {
  const { db, storage, clock } = dependencies;
  const former = requireReadable(uuidFromId('task', taskId) === null ? null : await db.tasks.find(taskId));
  const id = newId('task', clock.now(), former.projectId);
  let image = former.image;
  if (image) {
    const body = await storage.read(image.objectKey);
    if (!body)
      throw new AppError('video_expired', {
        message: 'The image of this task has expired. Create a new task with the image.',
      });
    const objectKey = contentKey(id, image.sha256, 'png');
    await storage.putStream(objectKey, body, { contentType: 'image/png', maxBytes: 256 * 1024 * 1024 });
    image = { ...image, objectKey };
  }
  const { task, onSent } = await acceptTask(dependencies, former, id, { ...former, image });
  onSent();
  const event = { action: 'task.retried', objectId: taskId, of: former, detail: { new_task_id: id } } as const;
  await recordAuditEvent(db, operator, event, clock.now());
  return task;
}
