import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { connectOnce } from './free-port.ts';
import type { Part } from './stack-part.ts';
import { queryPostgres } from './stack-postgres.ts';
import { readState, StackError, toolPath, toolVersion, updateState } from './stack-state.ts';
import { temporalConfig, temporalDynamicConfig } from './temporal-config.ts';

const run = promisify(execFile);
const databases = [
  { database: 'temporal', schema: 'postgresql/v12/temporal' },
  { database: 'temporal_visibility', schema: 'postgresql/v12/visibility' },
];

const GRPC_ALREADY_EXISTS = 6;
const RETENTION = '3 days'; // long enough to look at yesterday's workflows
/** 30 s for all calls of one try. A call to a service that is not ready yet may hang, and the next try succeeds. */
const TRY_MILLISECONDS = hangLimitMilliseconds / 10;

interface TemporalOptions {
  postgresPort: number;
  /** The first of eight ports: gRPC ports of frontend, history, matching and worker, then their membership ports. */
  firstPort: number;
  namespace: string;
}

/** Returns the part for a whole Temporal cluster in one process, on the stack's Postgres, with one namespace. */
export function temporalPart(folder: string, { postgresPort, firstPort, namespace }: TemporalOptions): Part {
  const configPath = join(folder, 'temporal.yaml');
  return {
    name: 'temporal',
    ports: Array.from({ length: 8 }, (_, index) => firstPort + index),
    stopSignal: 'SIGTERM',
    async prepare() {
      await prepareDatabases(folder, postgresPort);
      // JSON is valid YAML.
      const dynamicConfigPath = join(folder, 'temporal-dynamic.yaml');
      writeFileSync(dynamicConfigPath, JSON.stringify(temporalDynamicConfig(), null, 2));
      const config = temporalConfig({ postgresPort, firstPort, dynamicConfigPath });
      writeFileSync(configPath, JSON.stringify(config, null, 2));
    },
    program: () => ({
      command: toolPath('temporal-server'),
      arguments: ['--config-file', configPath, '--allow-no-auth', 'start'],
      // A soft limit: above it the garbage collector works harder, but nothing fails.
      environment: { GOMEMLIMIT: '512MiB' },
    }),
    async checkUsable() {
      // A gRPC client whose connection is refused waits a second before it retries, so first wait for the port to open.
      await connectOnce(firstPort);
      await useTemporal(`127.0.0.1:${firstPort}`, namespace);
    },
  };
}

/** Creates both databases, or upgrades their schema to the installed release. */
async function prepareDatabases(folder: string, postgresPort: number): Promise<void> {
  const version = toolVersion('temporal-server');
  const present = readState(folder)?.temporalSchema ?? null;
  if (present === version) return;
  await Promise.all(
    databases.map(async ({ database, schema }) => {
      if (present === null) {
        // No release is recorded, so the database can only contain leftovers of an interrupted attempt.
        await queryPostgres(postgresPort, 'postgres', async (client) => {
          await client.query(`drop database if exists ${database} with (force)`);
          await client.query(`create database ${database}`);
        });
        await sqlTool(postgresPort, database, ['setup-schema', '-v', '0.0']);
      }
      await sqlTool(postgresPort, database, ['update-schema', '-s', schema]);
    }),
  );
  updateState(folder, (state) => {
    state.temporalSchema = version;
  });
}

async function sqlTool(postgresPort: number, database: string, words: string[]): Promise<void> {
  const server = [
    '--plugin',
    'postgres12',
    '--ep',
    '127.0.0.1',
    '-p',
    String(postgresPort),
    '-u',
    'kinora',
    '--pw',
    '',
  ];
  try {
    await run(toolPath('temporal-sql-tool'), [...server, '--db', database, ...words], { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().slice(-2_000) : '';
    throw new StackError(`temporal-sql-tool ${words.join(' ')} failed for ${database}:\n${output}`, { cause: error });
  }
}

/** Registers the namespace, and calls every service behind the frontend, because each learns of it separately. */
export async function useTemporal(address: string, namespace: string): Promise<void> {
  // Imported here, while the server starts, to save time.
  const { Client, Connection, WorkflowNotFoundError } = await import('@temporalio/client');
  const { msToTs } = await import('@temporalio/common/lib/time.js');
  const connection = await Connection.connect({ address, connectTimeout: TRY_MILLISECONDS });
  try {
    const service = connection.workflowService;
    await connection.withDeadline(Date.now() + TRY_MILLISECONDS, async () => {
      await service
        .registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(RETENTION) })
        .catch((error: unknown) => {
          if (!(error instanceof Error && 'code' in error && error.code === GRPC_ALREADY_EXISTS)) throw error;
        });
      await service.describeNamespace({ namespace });
      const { workflow } = new Client({ connection, namespace });
      const handle = workflow.getHandle('stack-is-usable');
      await handle.describe().catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error; // "not found" means that history works
      });
      await service.describeTaskQueue({ namespace, taskQueue: { name: 'stack-is-usable' } }); // matching
      await service.countWorkflowExecutions({ namespace }); // visibility
    });
  } finally {
    await connection.close();
  }
}
