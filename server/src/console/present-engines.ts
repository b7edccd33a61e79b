import type { ProjectBacklog } from '../db/attempts/engine-board-table.ts';
import type { EndpointOnBoard, PoolOnBoard, SlotOnBoard } from '../operations/engines/read-engine-board.ts';

export function presentPool({ name, models, waiting, oldestWaitingAt, endpoints }: PoolOnBoard) {
  return {
    name,
    models,
    waiting,
    oldest_waiting_at: unixSeconds(oldestWaitingAt),
    endpoints: endpoints.map(presentEndpoint),
  };
}

export function presentEndpoint(endpoint: EndpointOnBoard) {
  return {
    id: endpoint.id,
    engine: endpoint.engine,
    version: endpoint.version,
    state: endpoint.state,
    since: unixSeconds(endpoint.since),
    reason: endpoint.reason,
    last_failure: endpoint.lastFailure,
    last_failure_at: unixSeconds(endpoint.lastFailureAt),
    tripped_until: unixSeconds(endpoint.trippedUntil),
    latency_milliseconds: endpoint.latencyMilliseconds,
    seen_at: unixSeconds(endpoint.seenAt),
    slots: endpoint.slots.map(presentSlot),
  };
}

function presentSlot({ index, state, taskId, projectId, livemode, since, progress }: SlotOnBoard) {
  return { index, state, task_id: taskId, project_id: projectId, livemode, since: unixSeconds(since), progress };
}

export function presentBacklog({ projectId, oldestWaitingAt, name, livemode, ...counts }: ProjectBacklog) {
  const { running, waiting, weight } = counts;
  const oldest_waiting_at = unixSeconds(oldestWaitingAt);
  return { project_id: projectId, name, livemode, running, waiting, oldest_waiting_at, weight };
}

function unixSeconds(moment: Date | null): number | null {
  return moment && Math.floor(moment.getTime() / 1000);
}
