import type { Attempt } from '../../db/attempts/attempt-table.ts';
import { engineJobIdOf } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import type { EngineOperation } from '../../engines/engine.ts';
import { failpoint } from '../../telemetry/failpoints.ts';
import { recordEvent } from '../events/record-event.ts';
import type { WorkflowStart } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';

interface Place {
  endpointId: string;
  slot: number;
  /** Returns the operation of a job with the given id; null if the engine chooses the ids of its jobs. */
  operationFor: (jobId: string) => EngineOperation | null;
}

export type Begun = { kind: 'begun'; task: Task; attempt: Attempt } | { kind: 'slot-taken' } | { kind: 'not-queued' };

class SlotTaken extends Error {}

/** Takes an engine's slot for a queued task. One commit writes status, lease and attempt, so they never disagree. */
export async function beginAttempt(
  { db, workflows, clock, processId }: WorkflowParts & { processId: string },
  queued: Task,
  place: Place,
): Promise<Begun> {
  const now = clock.now();
  let starts: WorkflowStart[] = [];
  const begin = () =>
    db.transaction(async (tables): Promise<Begun> => {
      const task = await tables.tasks.change(
        queued.id,
        'begin',
        { attempt: queued.attempt },
        { startedAt: now, stage: 'preparing' },
      );
      if (!task) return { kind: 'not-queued' };
      const fencing = await tables.leases.take(place.endpointId, place.slot, task.id, task.attempt, now);
      if (fencing === null) throw new SlotTaken();
      const engineJobId = engineJobIdOf(task.id, task.attempt);
      const attempt: Attempt = {
        taskId: task.id,
        attempt: task.attempt,
        endpointId: place.endpointId,
        slot: place.slot,
        fencing,
        engineJobId,
        operation: place.operationFor(engineJobId),
        beganAt: now,
        slotFreedAt: null,
      };
      await tables.attempts.insert(attempt, processId);
      starts = await recordEvent(tables, 'video.started', task, now);
      return { kind: 'begun', task, attempt };
    });
  try {
    const begun = await begin();
    if (begun.kind === 'begun') failpoint('after-begin');
    workflows.startSoon(starts);
    return begun;
  } catch (error) {
    if (error instanceof SlotTaken) return { kind: 'slot-taken' };
    throw error;
  }
}
