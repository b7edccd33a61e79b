import { readdirSync } from 'node:fs';
import type { Installation } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import type { Client } from 'pg';
import type { LoadWindow } from './soak-load.ts';

export const sampledRoles = ['api', 'relay', 'worker', 'animatic'] as const;
type SampledRole = (typeof sampledRoles)[number];

/** The state of the installation at one moment of the run. */
export interface SoakSample extends LoadWindow {
  /** Seconds since the load began. */
  seconds: number;
  /** Resident memory. */
  megabytes: Record<SampledRole, number>;
  descriptors: Record<SampledRole, number>;
  /** Connections to Postgres of all roles. */
  connections: number;
  /** Size of the tables whose rows come and go, with their indexes. */
  transientMegabytes: number;
  /** What the database has grown by since the load began, per task that has ended since. */
  kilobytesPerTask: number;
  /** The share of dead rows in all rows of the database, from 0 to 1. */
  deadShare: number;
}

/** Their number of rows depends on what runs and waits now, not on what has ever run. */
const transientTables = [
  'api_keys',
  'endpoint_states',
  'engine_reports',
  'leases',
  'model_speeds',
  'open_tasks',
  'outbox',
  'pool_waiting',
  'project_slots',
  'projects',
  'queue_snapshot',
];

/** A job or a request opens descriptors for a moment. Those that leak stay, so the lowest of several counts shows them. */
const counts = 5;
const countEveryMilliseconds = 200;

/** Reads the state of the processes. The memory of a role that does not run is 0. */
export async function sampleProcesses(
  installation: Installation,
): Promise<Pick<SoakSample, 'megabytes' | 'descriptors'>> {
  const ofRoles = (read: (pid: number) => number) =>
    Object.fromEntries(sampledRoles.map((role) => [role, read(installation.process(role)?.pid ?? 0)])) as Record<
      SampledRole,
      number
    >; // has an entry for each of the roles
  const descriptors = ofRoles(countDescriptors);
  for (let count = 1; count < counts; count += 1) {
    await pause(countEveryMilliseconds);
    const again = ofRoles(countDescriptors);
    for (const role of sampledRoles) descriptors[role] = Math.min(descriptors[role], again[role]);
  }
  return { megabytes: ofRoles((pid) => residentBytes(pid) / 1e6), descriptors };
}

function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0; // the process has exited
  }
}

interface DatabaseState {
  bytes: number;
  transientBytes: number;
  rows: number;
  deadRows: number;
  connections: number;
  /** Tasks that have ended. */
  ended: number;
}

/** Reads the sizes of all tables and indexes, and what Postgres has counted of their rows. */
export async function readDatabaseState(database: Client): Promise<DatabaseState> {
  const { rows } = await database.query<DatabaseState>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes,
            (sum(pg_total_relation_size(relid)) filter (where relname = any($1)))::float8 as "transientBytes",
            sum(n_live_tup)::float8 as rows,
            sum(n_dead_tup)::float8 as "deadRows",
            (select count(*) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid())::int as connections,
            (select count(*) from usage)::int as ended
     from pg_stat_user_tables`,
    [transientTables],
  );
  const [state] = rows;
  if (!state) throw new Error('Postgres returned no sizes of tables');
  return state;
}

/** Returns the figures of the database compared with those from when the load began. */
export function compareDatabase(
  before: DatabaseState,
  now: DatabaseState,
): Pick<SoakSample, 'connections' | 'transientMegabytes' | 'kilobytesPerTask' | 'deadShare'> {
  return {
    connections: now.connections,
    transientMegabytes: now.transientBytes / 1e6,
    kilobytesPerTask: (now.bytes - before.bytes) / 1e3 / Math.max(1, now.ended - before.ended),
    deadShare: now.deadRows / Math.max(1, now.rows + now.deadRows),
  };
}
