import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';

export interface PartHealth {
  part: 'postgres' | 'temporal' | 'store';
  status: 'ok' | 'failed';
  milliseconds: number;
  /** What is wrong and what to do. */
  message: string | null;
}

interface RoleProcess {
  id: string;
  roles: string[];
  version: string;
  host: string;
  started_at: number;
  silent_seconds: number;
  is_silent: boolean;
  /** Null unless it is a worker. */
  owned_endpoints: number | null;
}

interface Health {
  checks: PartHealth[];
  /** Null while Postgres does not respond. */
  roles: { processes: RoleProcess[]; problems: { reason: string; remedy: string }[] } | null;
}

export interface DoctorCheck {
  name: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  advice: string | null;
}

export interface DoctorReport {
  checks: DoctorCheck[];
  ran_at: number;
  seconds: number;
}

/** An audit event as operators see it. */
export interface OperatorAuditEvent {
  id: string;
  created_at: number;
  livemode: boolean | null;
  action: string;
  actor: {
    type: string;
    key_id: string | null;
    person_id: string | null;
    operator: string | null;
    command: string | null;
  };
  project_id: string | null;
  object_id: string | null;
  address: string | null;
  request_id: string | null;
}

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => consoleApi<Health>('GET', '/health'),
  refetchInterval: 5_000,
});

export function runDoctor(): Promise<DoctorReport> {
  return consoleApi('POST', '/doctor');
}

export const operatorAuditQuery = infiniteQueryOptions({
  queryKey: ['operator-audit'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam }) =>
    consoleApi<{ data: OperatorAuditEvent[]; has_more: boolean }>(
      'GET',
      `/audit-events?limit=20${pageParam === null ? '' : `&after=${pageParam}`}`,
    ),
  getNextPageParam: ({ data, has_more }) => (has_more ? (data.at(-1)?.id ?? null) : null),
});
