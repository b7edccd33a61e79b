import { queryOptions } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';

/** One job at a time runs in a slot. `draining`: its task has gone on, and the engine still works on the job. */
export interface Slot {
  index: number;
  state: 'busy' | 'idle' | 'draining';
  task_id: string | null;
  project_id: string | null;
  livemode: boolean | null;
  since: number | null;
  progress: number | null;
}

export type EndpointState = 'accepting' | 'draining' | 'drained' | 'tripped' | 'probation' | 'unreachable' | 'unprobed';

export interface Endpoint {
  id: string;
  engine: string;
  version: string | null;
  state: EndpointState;
  since: number | null;
  reason: string | null;
  last_failure: string | null;
  last_failure_at: number | null;
  tripped_until: number | null;
  latency_milliseconds: number | null;
  seen_at: number | null;
  slots: Slot[];
}

export interface Pool {
  name: string;
  models: string[];
  waiting: number;
  oldest_waiting_at: number | null;
  endpoints: Endpoint[];
}

export interface EngineBoard {
  generated_at: number;
  pools: Pool[];
}

export interface ProjectBacklog {
  project_id: string;
  name: string;
  livemode: boolean;
  running: number;
  waiting: number;
  oldest_waiting_at: number | null;
  weight: number;
}

/** 2 s: as often as the workers themselves look at their endpoints. */
const refetchInterval = 2_000;

export const enginesQuery = queryOptions({
  queryKey: ['engines', 'board'],
  queryFn: () => consoleApi<EngineBoard>('GET', '/engines'),
  refetchInterval,
});

export const backlogQuery = queryOptions({
  queryKey: ['engines', 'backlog'],
  queryFn: async () => (await consoleApi<{ data: ProjectBacklog[] }>('GET', '/backlog')).data,
  refetchInterval,
});

export async function setDrained(endpointId: string, isDrained: boolean): Promise<void> {
  await consoleApi('POST', `/engines/${encodeURIComponent(endpointId)}/${isDrained ? 'drain' : 'resume'}`);
}
