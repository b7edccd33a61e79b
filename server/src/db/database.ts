import { Kysely, PostgresDialect, sql } from 'kysely';
import { apiKeyTable } from './access/api-key-table.ts';
import { consoleSessionTable } from './access/console-session-table.ts';
import { peopleTable } from './access/people-table.ts';
import { personIdentityTable } from './access/person-identity-table.ts';
import { projectMemberTable } from './access/project-member-table.ts';
import { projectOverviewTable } from './access/project-overview-table.ts';
import { projectTable } from './access/project-table.ts';
import { signInTokenTable } from './access/sign-in-token-table.ts';
import { attemptTable } from './attempts/attempt-table.ts';
import { endpointStateTable } from './attempts/endpoint-state-table.ts';
import { engineBoardTable } from './attempts/engine-board-table.ts';
import { engineJobTable } from './attempts/engine-job-table.ts';
import { engineReportTable } from './attempts/engine-report-table.ts';
import { leaseTable } from './attempts/lease-table.ts';
import { liveEntryTable } from './attempts/live-entry-table.ts';
import { processTable } from './attempts/process-table.ts';
import { installationTable } from './connection/installation-table.ts';
import { createLivePool, isPlanOutdated } from './connection/live-pool.ts';
import { noticeTable } from './connection/notice-table.ts';
import type { TimeReading } from './connection/postgres-clock.ts';
import type { Schema } from './connection/schema.ts';
import { acceptanceTable } from './queue/acceptance-table.ts';
import { admissionTable } from './queue/admission-table.ts';
import { modelSpeedTable } from './queue/model-speed-table.ts';
import { openTaskTable } from './queue/open-task-table.ts';
import { outboxTable } from './queue/outbox-table.ts';
import { poolQueueTable } from './queue/pool-queue-table.ts';
import { projectSlotTable } from './queue/project-slot-table.ts';
import { queueSnapshotTable } from './queue/queue-snapshot-table.ts';
import { unservedPoolTable } from './queue/unserved-pool-table.ts';
import { auditEventTable } from './records/audit-event-table.ts';
import { auditLogTable } from './records/audit-log-table.ts';
import { usageRollUpTable } from './records/usage-roll-up-table.ts';
import { usageSumTable } from './records/usage-sum-table.ts';
import { usageTable } from './records/usage-table.ts';
import { eventTable } from './tasks/event-table.ts';
import { fileTable } from './tasks/file-table.ts';
import { idempotencyKeyTable } from './tasks/idempotency-key-table.ts';
import { storedBytesTable } from './tasks/stored-bytes-table.ts';
import { taskFileTable } from './tasks/task-file-table.ts';
import { taskListTable } from './tasks/task-list-table.ts';
import { type TaskChange, taskTable } from './tasks/task-table.ts';
import { taskViewTable } from './tasks/task-view-table.ts';
import { callbackSecretTable } from './webhooks/callback-secret-table.ts';
import { webhookDeliveryTable } from './webhooks/webhook-delivery-table.ts';
import { webhookEndpointTable } from './webhooks/webhook-endpoint-table.ts';
import { webhookTryTable } from './webhooks/webhook-try-table.ts';

export type Tables = { [Name in TableName]: ReturnType<(typeof tableMakers)[Name]> };

/** What reads many rows at the request of a caller. It has connections of its own. */
type Reports = ReturnType<typeof reportsOf>;

/** The system of record. Every table can be used by itself or, inside `transaction`, together with others. */
export interface Database extends Tables, Reports {
  /** Runs `work` in one transaction; it commits when `work` resolves. */
  transaction<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Throws if Postgres does not respond. */
  check(): Promise<void>;
  /** The underlying Kysely instance, for migrations and partitions. */
  kysely: Kysely<Schema>;
  close(): Promise<void>;
}

interface TableOptions {
  /** How long the files of a task are retained after it has ended. */
  fileRetentionDays: number;
  /** Called for every task whose row has changed, after the commit. */
  onTaskChanged?: ((change: TaskChange) => void) | undefined;
}

interface DatabaseOptions extends TableOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  onIdleError: (error: Error) => void;
  /** Called with what Postgres's clock says, whenever a connection is opened or probed. */
  onTime?: (reading: TimeReading) => void;
}

/** Connections for lists, searches and usage, per process. They are opened when they are needed. */
export const reportPoolSize = 5;

/** Connects with a time-out for all that could hang; lists, searches and usage get connections of their own. */
export function connectDatabase(options: DatabaseOptions): Database {
  const kysely = connect(options, {
    max: options.poolSize,
    statement_timeout: 15_000,
    query_timeout: 20_000,
    // 10 s: other processes wait for the rows that a frozen one has locked. No transaction waits for another server.
    idle_in_transaction_session_timeout: 10_000,
    namesStatements: true,
  });
  // 3 s: such a query takes some tens of milliseconds in the largest project.
  const reports = connect(options, {
    max: reportPoolSize,
    statement_timeout: 3_000,
    query_timeout: 5_000,
    // The best plan depends on the filters, the dates and the size of the project.
    namesStatements: false,
  });
  return databaseOf(kysely, reports, options);
}

/** Returns the system of record behind these connections. */
export function databaseOf(kysely: Kysely<Schema>, reports: Kysely<Schema>, options: TableOptions): Database {
  return {
    ...allTablesOf(kysely, options),
    ...reportsOf(reports),
    transaction: async (work) => {
      const changes: TaskChange[] = [];
      const onTaskChanged = (change: TaskChange): void => void changes.push(change);
      const result = await kysely
        .transaction()
        .execute((transaction) => work(tablesOf(transaction, { ...options, onTaskChanged })));
      for (const change of changes) options.onTaskChanged?.(change);
      return result;
    },
    check: async () => {
      await sql`select 1`.execute(kysely);
    },
    kysely,
    close: async () => {
      await Promise.all([kysely.destroy(), reports.destroy()]);
    },
  };
}

function connect(options: DatabaseOptions, limits: Parameters<typeof createLivePool>[0]): Kysely<Schema> {
  const { pool, events } = createLivePool({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3_000,
    onTime: options.onTime,
    ...limits,
  });
  // Without listeners, a lost connection would end the process. The pool reports the loss of idle connections, but not
  // of those in use, such as a transaction's between two of its queries: there the next query fails.
  events.on('error', options.onIdleError);
  events.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Returns whether an error means that Postgres is unavailable for now, rather than that the query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isPlanOutdated(error)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // 08 connection, 53 resources, 57P shutdown and recovery, 57014 a statement that took too long, 25P03 a transaction that
  // idled too long (a frozen process), 25006 a read-only server (a primary that was demoted)
  if (
    /^(08|53|57P|57014|25P03|25006)/.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)
  )
    return true;
  return awayMessages.some((message) => error.message.startsWith(message));
}

// pg gives these errors no code. Its version is pinned, and a test compares the texts with those of a killed server.
const awayMessages = [
  'Connection terminated',
  'Client has encountered a connection error',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
];

function reportsOf(db: Kysely<Schema>) {
  return {
    auditLog: auditLogTable(db),
    projectOverviews: projectOverviewTable(db),
    engineBoard: engineBoardTable(db),
    taskList: taskListTable(db),
    usageSums: usageSumTable(db),
  };
}

/** Every table, by its name. */
const tableMakers = {
  installation: installationTable,
  projects: projectTable,
  acceptances: acceptanceTable,
  apiKeys: apiKeyTable,
  people: peopleTable,
  personIdentities: personIdentityTable,
  projectMembers: projectMemberTable,
  consoleSessions: consoleSessionTable,
  signInTokens: signInTokenTable,
  idempotencyKeys: idempotencyKeyTable,
  projectSlots: projectSlotTable,
  admissions: admissionTable,
  tasks: taskTable,
  openTasks: openTaskTable,
  taskFiles: taskFileTable,
  storedBytes: storedBytesTable,
  attempts: attemptTable,
  auditEvents: auditEventTable,
  engineJobs: engineJobTable,
  engineReports: engineReportTable,
  events: eventTable,
  usage: usageTable,
  usageRollUp: usageRollUpTable,
  leases: leaseTable,
  endpointStates: endpointStateTable,
  processes: processTable,
  modelSpeeds: modelSpeedTable,
  poolQueues: poolQueueTable,
  queueSnapshots: queueSnapshotTable,
  unservedPools: unservedPoolTable,
  files: fileTable,
  outbox: outboxTable,
  webhookEndpoints: webhookEndpointTable,
  webhookDeliveries: webhookDeliveryTable,
  webhookTries: webhookTryTable,
  callbackSecrets: callbackSecretTable,
  liveEntries: liveEntryTable,
  taskViews: taskViewTable,
  notices: noticeTable,
};

type TableName = keyof typeof tableMakers;

function isTableName(name: string | symbol): name is TableName {
  return Object.hasOwn(tableMakers, name);
}

/** The tables of a transaction, each made at first use: making all would cost more than sending a statement. */
function tablesOf(db: Kysely<Schema>, options: TableOptions): Tables {
  const made: Partial<Record<TableName, unknown>> = {};
  const get = (_: unknown, name: string | symbol): unknown =>
    isTableName(name) ? (made[name] ??= tableMakers[name](db, options)) : undefined;
  return new Proxy<Tables>({} as Tables, { get });
}

function allTablesOf(db: Kysely<Schema>, options: TableOptions): Tables {
  const made = Object.entries(tableMakers).map(([name, make]) => [name, make(db, options)]);
  // It has an entry for each maker.
  return Object.fromEntries(made) as Tables;
}
