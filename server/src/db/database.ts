import { Kysely, PostgresDialect, sql } from 'kysely';
import { acceptanceTable } from './acceptances.ts';
import { admissionTable } from './admissions.ts';
import { apiKeyTable } from './api-keys.ts';
import { attemptTable } from './attempts.ts';
import { auditEventTable } from './audit-events.ts';
import { auditLogTable } from './audit-log.ts';
import { callbackSecretTable } from './callback-secrets.ts';
import { consoleSessionTable } from './console-sessions.ts';
import { endpointStateTable } from './endpoint-states.ts';
import { engineBoardTable } from './engine-board.ts';
import { engineJobTable } from './engine-jobs.ts';
import { engineReportTable } from './engine-reports.ts';
import { eventTable } from './events.ts';
import { fileTable } from './files.ts';
import { idempotencyKeyTable } from './idempotency-keys.ts';
import { installationTable } from './installation.ts';
import { leaseTable } from './leases.ts';
import { liveEntryTable } from './live-entries.ts';
import { createLivePool, isPlanOutdated } from './live-pool.ts';
import { modelSpeedTable } from './model-speeds.ts';
import { modelsFileTable } from './models-files.ts';
import { noticeTable } from './notice-table.ts';
import { openTaskTable } from './open-tasks.ts';
import { outboxTable } from './outbox.ts';
import { peopleTable } from './people.ts';
import { personIdentityTable } from './person-identities.ts';
import { poolQueueTable } from './pool-queues.ts';
import { projectMemberTable } from './project-members.ts';
import { projectOverviewTable } from './project-overviews.ts';
import { projectSlotTable } from './project-slots.ts';
import { projectTable } from './projects.ts';
import { queueSnapshotTable } from './queue-snapshots.ts';
import type { Schema } from './schema.ts';
import { signInTokenTable } from './sign-in-tokens.ts';
import { storedBytesTable } from './stored-bytes.ts';
import { taskFileTable } from './task-files.ts';
import { taskListTable } from './task-list.ts';
import { taskViewTable } from './task-views.ts';
import { type TaskChange, taskTable } from './tasks.ts';
import { unservedPoolTable } from './unserved-pools.ts';
import { usageTable } from './usage.ts';
import { usageRollUpTable } from './usage-roll-up.ts';
import { usageSumTable } from './usage-sums.ts';
import { webhookDeliveryTable } from './webhook-deliveries.ts';
import { webhookEndpointTable } from './webhook-endpoints.ts';
import { webhookTryTable } from './webhook-tries.ts';

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
}

/** Connections for lists, searches and usage, per process. They are opened when they are needed. */
export const reportPoolSize = 5;

/**
 * Connects with pools that have a time-out for everything that could hang. Lists, searches and usage cannot take the
 * connections that everything else needs.
 */
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
  modelsFiles: modelsFileTable,
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

/**
 * The tables of a connection or a transaction. Each is made when it is first used: a transaction uses two or three of
 * them, and making all would cost it more than sending a statement.
 */
class LazyTables {
  readonly made = new Map<TableName, unknown>();
  readonly db: Kysely<Schema>;
  readonly options: TableOptions;
  constructor(db: Kysely<Schema>, options: TableOptions) {
    this.db = db;
    this.options = options;
  }
}

for (const name of Object.keys(tableMakers) as TableName[]) {
  Object.defineProperty(LazyTables.prototype, name, {
    get(this: LazyTables) {
      const { made, db, options } = this;
      if (!made.has(name)) made.set(name, tableMakers[name](db, options));
      return made.get(name);
    },
  });
}

function tablesOf(db: Kysely<Schema>, options: TableOptions): Tables {
  // The loop above has defined a property for each name.
  return new LazyTables(db, options) as unknown as Tables;
}

function allTablesOf(db: Kysely<Schema>, options: TableOptions): Tables {
  const tables = tablesOf(db, options);
  const names = Object.keys(tableMakers) as TableName[];
  return Object.fromEntries(names.map((name) => [name, tables[name]])) as unknown as Tables;
}
