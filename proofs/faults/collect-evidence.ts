import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Caller } from './caller.ts';
import type { FaultEvidence } from './fault-evidence.ts';
import type { FaultWorld } from './fault-world.ts';
import { queryServer } from './query-server.ts';

/** Waits until all tasks have ended and the reconciler has finished a round, and collects what the judge needs. */
export async function collectEvidence(
  { report, rounds, submits }: FaultWorld,
  caller: Caller,
  server: Pick<PostgresServer, 'urlOf'>,
  { probes, rolledBack }: Pick<FaultEvidence, 'probes' | 'rolledBack'>,
): Promise<FaultEvidence> {
  report('all faults are over; waiting for the remaining tasks');
  await caller.settle();
  const lastFaultAt = Math.max(...probes.map(({ at }) => at));
  await becomesTrueWithin(hangLimitMilliseconds, () => rounds.ended.some(({ at }) => at > lastFaultAt));
  await caller.download();
  const events = await queryServer<{ taskId: string; type: string }>(
    server,
    'select task_id as "taskId", type from events',
  );
  return {
    tasks: caller.tasks,
    submits,
    probes,
    rolledBack,
    roundsEndedAt: rounds.ended.map(({ at }) => at),
    events: events.map(({ taskId, type }) => ({ taskId: taskIdOf(taskId), type })),
  };
}
