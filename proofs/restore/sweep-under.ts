import { runCommand } from '@kinora/stack/harness/installation';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { FaultWorld } from '../faults/fault-world.ts';
import { queryServer } from '../faults/query-server.ts';
import type { RestoreEvidence } from './judge-restore.ts';

/** Sweeps objects of any age under a database, and returns whether the command refused to. */
export async function sweepUnder(
  { installation }: FaultWorld,
  under: string,
  databaseUrl: string,
): Promise<RestoreEvidence['sweeps'][number]> {
  const environment = { ...installation.environment, KINORA_DATABASE_URL: databaseUrl };
  return runCommand(environment, 'sweep', '--older-than', '0').then(
    (printed) => ({ under, isRefused: false, printed: printed.split('\n').at(-1) ?? '' }),
    (error: unknown) => ({ under, isRefused: true, printed: String(error) }),
  );
}

/** Creates the database of an installation that has nothing yet, and returns its URL. */
export async function createEmptyDatabase(world: FaultWorld, server: PostgresServer, name: string): Promise<string> {
  await queryServer(server, `create database ${name}`);
  const url = server.urlOf(name);
  await runCommand({ ...world.installation.environment, KINORA_DATABASE_URL: url }, 'migrate');
  return url;
}

/** Creates the database of an installation that has a newer task than any in the bucket, and returns its URL. */
export async function createOtherDatabase(world: FaultWorld, server: PostgresServer): Promise<string> {
  const url = await createEmptyDatabase(world, server, 'other');
  const [task] = await queryServer<{ row: Record<string, unknown> }>(
    server,
    'select to_jsonb(tasks) as row from tasks order by id desc limit 1',
  );
  const now = Date.now().toString(16).padStart(12, '0');
  const id = `${now.slice(0, 8)}-${now.slice(8)}${String(task?.row['id']).slice(13)}`;
  await queryServer(
    server,
    'insert into tasks select * from jsonb_populate_record(null::tasks, $1)',
    [{ ...task?.row, id }],
    'other',
  );
  return url;
}
