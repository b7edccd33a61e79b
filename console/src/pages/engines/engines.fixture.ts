import type { Endpoint, Slot } from '../../api/engines.ts';

export function endpointWith(some: Partial<Endpoint>): Endpoint {
  return {
    id: 'gpu-a',
    engine: 'cog',
    version: null,
    state: 'accepting',
    since: null,
    reason: null,
    last_failure: null,
    last_failure_at: null,
    tripped_until: null,
    latency_milliseconds: 5,
    seen_at: null,
    slots: [],
    ...some,
  };
}

export function idleSlot(index: number, since: number | null = null): Slot {
  return { index, state: 'idle', task_id: null, project_id: null, livemode: null, since, progress: null };
}

export function busySlot(index: number, since: number | null = null, progress: number | null = null): Slot {
  return { index, state: 'busy', task_id: 'vid_1', project_id: 'proj_1', livemode: true, since, progress };
}
