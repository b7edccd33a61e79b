import type { ProjectBacklog } from '../db/attempts/engine-board-table.ts';
import type { ReportedProcess } from '../db/attempts/process-table.ts';
import type { AuditPage } from '../db/records/audit-log-table.ts';
import type { Operator } from '../domain/actor.ts';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { EndpointOnBoard, PoolOnBoard } from '../operations/engines/read-engine-board.ts';

/** What only those who run the installation see and do. */
export interface OperatorParts {
  /** Returns what every slot of every pool does now. */
  readEngineBoard(): Promise<{ generatedAt: Date; pools: PoolOnBoard[] }>;
  /** Lets no new jobs start on an endpoint, or lets them start again. Returns the endpoint afterwards. */
  setDrained(operator: Operator, endpointId: string, isDrained: boolean): Promise<EndpointOnBoard>;
  /** Returns the projects that run tasks or wait for some, those with the most waiting tasks first. */
  listBacklog(limit: number): Promise<ProjectBacklog[]>;
  /** Returns whether Postgres, Temporal and the store respond, and how fast. */
  checkHealth(): Promise<{ part: string; status: 'ok' | 'failed'; milliseconds: number; message: string | null }[]>;
  /** Returns the processes that run and what is wrong with them; null if Postgres does not respond. */
  readRoles(): Promise<{ processes: ReportedProcess[]; problems: { reason: string; remedy: string }[] } | null>;
  /** Runs the doctor, or waits for the run that is under way. */
  runDoctor(): Promise<DoctorReport>;
  /** Returns one page of the events of a project, or of all projects and people. */
  listAuditEvents(projectId: string | null, query: AuditPage): Promise<{ events: AuditEvent[]; hasMore: boolean }>;
}

export interface DoctorReport {
  results: readonly { check: string; verdict: string; message: string; remedy: string | null }[];
  ranAt: Date;
  seconds: number;
}
