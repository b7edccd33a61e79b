import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPrograms } from '@kinora/boxes/find-programs';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { withoutUserNamespaces } from '@kinora/boxes/without-user-namespaces.fixture';
import { eventually } from '@kinora/stack/harness/eventually';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { readState, stacksFolder } from '@kinora/stack/parts/stack-state';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { plainProcess } from '../../db/attempts/process.fixture.ts';
import type { ReportedProcess } from '../../db/attempts/process-table.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
  useTestDatabase,
} from '../../db/database.fixture.ts';
import { systemClock } from '../../domain/clock.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import { createCatalogueSource } from '../../engines/models-file/catalogue-source.ts';
import { writeInstallationMarker } from '../../operations/upkeep/installation-marker.ts';
import { readCallbackSecret } from '../../operations/webhooks/callback-secret.ts';
import { listen } from '../../outbound/loopback-server.fixture.ts';
import { createTestStorage, useTestStorage } from '../../storage/storage.fixture.ts';
import { createLog } from '../../telemetry/log.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import type { Started } from '../../wiring/foundation.ts';
import { startRoles } from '../../wiring/start-roles.ts';
import { type DoctorResult, runDoctor } from './run-doctor.ts';
import { startStoreProxy } from './store-proxy.fixture.ts';
import { startTransactionPooler } from './transaction-pooler.fixture.ts';

type Environment = Record<string, string>;
type OnEnd = (end: () => Promise<unknown>) => void;

/** One fault, how it is planted in a healthy installation, and the only check that must find it. */
interface Fault {
  name: string;
  check: string;
  /** How it is judged; `failed` if missing. */
  verdict?: 'warning';
  /** Words of the message or the remedy by which the operator recognises the fault. */
  says: string;
  plant(onEnd: OnEnd): Promise<Environment>;
  /** Returns the path of another ffmpeg. */
  ffmpeg?(): Promise<string>;
}

const namespaces = {
  unfair: `doctor-unfair-${randomUUID().slice(0, 8)}`,
  divided: `doctor-divided-${randomUUID().slice(0, 8)}`,
  eternal: `doctor-eternal-${randomUUID().slice(0, 8)}`,
};
const stack = inject('stackEnvironment');
const storeUrl = stack['KINORA_S3_ENDPOINT'] ?? '';
const folder = temporaryFolder('doctor');
const database = useTestDatabase();
const storage = useTestStorage();
let healthy: Environment;
let api: Started;
let modelsFile = '';
const servers: AsyncDisposable[] = [];

/** A server that is an animatic and, on other paths, an SGLang server. */
async function startEngine({ model = 'wan', clockMilliseconds = 0 } = {}): Promise<string> {
  const server = createServer((request, response) => {
    const bodies: Record<string, unknown> = {
      '/v1/models': { data: [{ id: model, owned_by: 'sglang' }] },
      '/server_info': { version: '0.5.6' },
    };
    const date = new Date(Date.now() + clockMilliseconds).toUTCString();
    const body = bodies[request.url ?? ''] ?? { engine: 'animatic', version: '1.2.3', slots: 2 };
    response.writeHead(200, { 'content-type': 'application/json', date }).end(JSON.stringify(body));
  });
  const loopback = await listen(server);
  servers.push(loopback);
  return `http://127.0.0.1:${loopback.port}`;
}

/** Writes a models file with one model on one SGLang server. */
async function writeModels(url: string, model = 'wan'): Promise<string> {
  const path = join(folder, `models-${randomUUID()}.yaml`);
  const file = {
    models: [
      {
        id: 'wan',
        pool: 'gpus',
        types: ['text_to_video'],
        resolutions: ['480p'],
        aspect_ratios: ['1:1'],
        durations: { min: 1, max: 1 },
        fps: 16,
      },
    ],
    pools: [{ id: 'gpus', engine: 'openai-videos', dialect: 'sglang', model, endpoints: [{ id: 'gpu-1', url }] }],
    allow_gaps: true,
  };
  await writeFile(path, JSON.stringify(file, null, 2));
  return path;
}

/** Creates a database with every role, as if a relay and a worker ran beside the API. */
async function ownDatabase(onEnd: OnEnd, others: readonly Partial<ReportedProcess>[] = []): Promise<TestDatabase> {
  const own = await createTestDatabase();
  onEnd(() => own.drop());
  await reportRoles(own, [{ roles: ['api'] }, ...usualRoles, ...others]);
  return own;
}

const timer = { name: 'reconcile', everySeconds: 86_400, endedAt: new Date().toISOString() };
const relay = { roles: ['relay'], timers: [timer] };
const worker = { roles: ['worker'] };
const usualRoles = [relay, worker];

/** Lets these processes have reported in good order for as long as the tests run, with the models file of the API. */
async function reportRoles({ db }: Pick<TestDatabase, 'db'>, processes: readonly Partial<ReportedProcess>[]) {
  for (const process of processes) {
    const { id, silentSeconds } = plainProcess(process);
    await db.processes.report({ ...plainProcess(process), id, fingerprint: modelsFile });
    const silence = process.silentSeconds === undefined ? -3_600 : silentSeconds;
    await sql`update processes set seen_at = now() - make_interval(secs => ${silence}) where id = ${id}`.execute(
      db.kysely,
    );
  }
}

/** Returns the settings of an installation with this engine, whose processes have the same models file. */
async function withEngine(onEnd: OnEnd, url: string): Promise<Environment> {
  const own = await ownDatabase(onEnd);
  const path = await writeModels(url);
  const log = createLog({ level: 'silent', roles: [] });
  const models = createCatalogueSource({ path, tokens: {}, animaticUrl: url, log });
  onEnd(async () => models.close());
  await models.open();
  const { fingerprint } = models.current();
  await sql`update processes set fingerprint = ${fingerprint}`.execute(own.db.kysely);
  return { KINORA_DATABASE_URL: own.url, KINORA_MODELS_FILE: path };
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/** Gives these namespaces what Kinora must not have. Temporal reads the file every 10 s. */
async function configureTemporal(): Promise<void> {
  const port = Number(new URL(stack['KINORA_DATABASE_URL'] ?? '').port);
  const name = (await readdir(stacksFolder)).find((one) => readState(join(stacksFolder, one))?.basePort === port);
  const path = join(stacksFolder, name ?? '', 'temporal-dynamic.yaml');
  const file = JSON.parse(readFileSync(path, 'utf8')) as Record<string, { value: unknown; constraints?: unknown }[]>;
  const set = (setting: string, namespace: string, value: unknown): void => {
    file[setting] = [...(file[setting] ?? []), { value, constraints: { namespace } }];
  };
  set('matching.enableFairness', namespaces.unfair, false);
  set('matching.numTaskqueueReadPartitions', namespaces.divided, 4);
  set('matching.numTaskqueueWritePartitions', namespaces.divided, 4);
  writeFileSync(`${path}.new`, JSON.stringify(file, null, 2));
  renameSync(`${path}.new`, path);
  const connection = await Connection.connect({ address: stack['KINORA_TEMPORAL_ADDRESS'] ?? '' });
  for (const [kind, namespace] of Object.entries(namespaces))
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(kind === 'eternal' ? '90 days' : '3 days'),
    });
  await connection.close();
}

beforeAll(async () => {
  const configured = configureTemporal();
  const engineUrl = await startEngine();
  const port = await findFreePorts(1);
  await mkdir(join(folder, 'scratch'), { mode: 0o700 });
  healthy = {
    ...stack,
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_SECRET_KEYS: randomBytes(32).toString('base64url'),
    KINORA_DATABASE_URL: database.url,
    KINORA_S3_BUCKET: storage.bucket,
    KINORA_PUBLIC_URL: `http://127.0.0.1:${port}`,
    KINORA_PORT: String(port),
    KINORA_PRIVATE_PORT: '0',
    KINORA_DRAIN_SECONDS: '0',
    KINORA_SCRATCH_FOLDER: join(folder, 'scratch'),
    KINORA_ANIMATIC_URL: engineUrl,
    KINORA_MODELS_FILE: await writeModels(engineUrl),
  };
  api = await startRoles(readConfig(healthy), ['api']);
  modelsFile = await eventually(
    'the API has reported its models file',
    async () => (await database.db.processes.fingerprints())[0],
  );
  await reportRoles(database, usualRoles);
  await configured;
});
afterAll(async () => {
  await api?.close();
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});

const notOkButLoopback = (results: readonly DoctorResult[]) =>
  notOk(results).filter(({ check, verdict }) => check !== 'public_url' || verdict === 'failed');

const notOk = (results: readonly DoctorResult[]) =>
  results
    .filter(({ verdict }) => verdict !== 'ok' && verdict !== 'skipped')
    .map(({ check, verdict }) => ({ check, verdict }));

const viaProxy = async (onEnd: OnEnd, change: Parameters<typeof startStoreProxy>[1]): Promise<Environment> => {
  const proxy = await startStoreProxy(storeUrl, change);
  onEnd(async () => proxy[Symbol.asyncDispose]());
  return { KINORA_S3_ENDPOINT: proxy.url };
};

/** As production, in which nothing is wrong but that the public URL is loopback. */
const production = { KINORA_ENV: 'production' };

const faults: readonly Fault[] = [
  {
    name: 'a setting that does not exist',
    check: 'settings',
    says: 'KINORA_S3_BUKET',
    plant: async () => ({ KINORA_S3_BUKET: 'videos' }),
  },
  {
    name: 'a secret key from an example',
    check: 'secrets.strength',
    says: 'kinora-server secrets new',
    plant: async () => ({ ...production, KINORA_SECRET_KEYS: 'change-me-to-32-random-characters-or-more' }),
  },
  {
    name: 'a stored secret whose key was removed',
    check: 'secrets.readable',
    says: 'Put the removed key back',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      const project = await own.db.projects.insert('lost', systemClock.now());
      const box = createSecretBox(['the-key-that-somebody-has-removed-again']);
      const tools = { db: own.db, clock: systemClock, box, newSecret: () => 'whsec_c2VjcmV0' };
      const caller = { projectId: project.id, livemode: true, keyId: strayId('key', systemClock.now()) };
      await readCallbackSecret(tools, caller);
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'plain text to the store beyond loopback',
    check: 'encryption',
    says: 'KINORA_S3_PUBLIC_ENDPOINT is not loopback',
    plant: async () => ({ ...production, KINORA_S3_PUBLIC_ENDPOINT: 'http://store.example.com' }),
  },
  {
    name: 'a scratch folder that others can write to',
    check: 'scratch',
    says: 'chmod 700',
    plant: async () => {
      const path = join(folder, 'open-to-all');
      await mkdir(path, { recursive: true });
      await chmod(path, 0o777);
      return { KINORA_SCRATCH_FOLDER: path };
    },
  },
  {
    name: 'a scratch folder that cannot be created',
    check: 'scratch',
    says: 'cannot be used',
    plant: async () => ({ KINORA_SCRATCH_FOLDER: '/etc/hostname/scratch' }),
  },
  {
    name: 'an ffmpeg without libx264',
    check: 'ffmpeg',
    says: 'lacks encoder libx264',
    plant: async () => ({}),
    ffmpeg: async () => {
      const { ffmpeg } = await findPrograms();
      const path = join(folder, 'ffmpeg');
      // The same program, in which the encoder has another name.
      const bytes = (await readFile(ffmpeg)).toString('latin1').replaceAll('libx264\0', 'libx999\0');
      await writeFile(path, Buffer.from(bytes, 'latin1'), { mode: 0o755 });
      return path;
    },
  },
  {
    name: 'no Postgres at the address',
    check: 'postgres.reachable',
    says: 'ECONNREFUSED',
    plant: async () => ({ KINORA_DATABASE_URL: 'postgres://kinora@127.0.0.1:1/kinora' }),
  },
  {
    name: 'a database that does not exist',
    check: 'postgres.reachable',
    says: 'no database of this name',
    plant: async () => ({ KINORA_DATABASE_URL: database.url.replace(/[^/]*$/, 'nowhere') }),
  },
  {
    name: 'a transaction pooler in front of Postgres',
    check: 'postgres.sessions',
    says: 'transaction pooler',
    plant: async (onEnd) => {
      const pooler = await startTransactionPooler(database.url);
      onEnd(async () => pooler[Symbol.asyncDispose]());
      return { KINORA_DATABASE_URL: pooler.url };
    },
  },
  {
    name: 'too few connections to Postgres',
    check: 'postgres.connections',
    says: 'Postgres allows 30',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      await query(own.url, `alter database ${nameOf(own.url)} connection limit 30`);
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'a database that was never migrated',
    check: 'postgres.schema',
    says: 'kinora-server migrate',
    plant: async (onEnd) => {
      const own = await createEmptyDatabase();
      onEnd(() => own.drop());
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'a database of a newer version',
    check: 'postgres.schema',
    verdict: 'warning',
    says: '9999-from-the-future',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      await query(
        own.url,
        `insert into kysely_migration (name, timestamp) values ('9999-from-the-future', now()::text)`,
      );
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'a role of Postgres that does not own the tables',
    check: 'postgres.rights',
    says: 'owner of the tables',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      const role = `doctor_${randomBytes(4).toString('hex')}`;
      await query(own.url, `create role ${role} login`, `grant select on all tables in schema public to ${role}`);
      onEnd(() => query(own.url, `drop owned by ${role}`, `drop role ${role}`));
      const url = new URL(own.url);
      url.username = role;
      return { KINORA_DATABASE_URL: url.href };
    },
  },
  {
    name: 'no partition for tomorrow',
    check: 'postgres.partitions',
    says: 'Start the relay',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '_');
      await query(own.url, `drop table events_${tomorrow}`);
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'a wrong clock of Postgres',
    check: 'postgres.clock',
    says: 'The clock of Postgres is 90 s ahead',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      await query(
        own.url,
        `create function public.clock_timestamp() returns timestamptz language sql
           as $$ select pg_catalog.clock_timestamp() + interval '90 s' $$`,
        `alter database ${nameOf(own.url)} set search_path = public, pg_catalog`,
      );
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'no Temporal at the address',
    check: 'temporal.reachable',
    says: 'Temporal cannot be reached',
    plant: async () => ({ KINORA_TEMPORAL_ADDRESS: '127.0.0.1:1' }),
  },
  {
    name: 'a namespace that does not exist',
    check: 'temporal.namespace',
    says: 'no namespace of this name',
    plant: async () => ({ KINORA_TEMPORAL_NAMESPACE: 'nowhere' }),
  },
  {
    name: 'a namespace that keeps ended workflows for 90 days',
    check: 'temporal.retention',
    verdict: 'warning',
    says: '90 day(s)',
    plant: async () => ({ KINORA_TEMPORAL_NAMESPACE: namespaces.eternal }),
  },
  {
    name: 'no store at the address',
    check: 'store.reachable',
    says: 'ECONNREFUSED',
    plant: async () => ({ KINORA_S3_ENDPOINT: 'http://127.0.0.1:1' }),
  },
  {
    name: 'a wrong secret key of the store',
    check: 'store.bucket',
    says: 'refuses the access key',
    plant: async () => ({ KINORA_S3_SECRET_ACCESS_KEY: randomBytes(20).toString('hex') }),
  },
  {
    name: 'a bucket that does not exist',
    check: 'store.bucket',
    says: 'no bucket of this name',
    plant: async () => ({ KINORA_S3_BUCKET: 'nowhere' }),
  },
  {
    name: 'an access key that may not write',
    check: 'store.operations',
    says: 'does not write an object',
    plant: (onEnd) =>
      viaProxy(onEnd, { respond: ({ method }) => (method === 'PUT' ? { status: 403, body: '' } : null) }),
  },
  {
    name: 'a store without uploads in parts',
    check: 'store.operations',
    says: 'does not upload an object in parts',
    plant: (onEnd) =>
      viaProxy(onEnd, {
        respond: ({ method, url = '' }) =>
          method === 'POST' && /[?&]uploads/.test(url) ? { status: 501, body: '' } : null,
      }),
  },
  {
    name: 'a lifecycle rule that deletes videos early',
    check: 'store.lifecycle',
    says: 'The lifecycle rule tidy deletes',
    plant: (onEnd) =>
      viaProxy(onEnd, {
        respond: ({ method, url = '' }) =>
          method === 'GET' && /[?&]lifecycle/.test(url)
            ? {
                status: 200,
                body: '<LifecycleConfiguration><Rule><ID>tidy</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>',
              }
            : null,
      }),
  },
  {
    name: 'a bucket that keeps old versions without a limit',
    check: 'store.versioning',
    verdict: 'warning',
    says: 'old versions without a limit',
    plant: (onEnd) =>
      viaProxy(onEnd, {
        respond: ({ method, url = '' }) =>
          method === 'GET' && /[?&]versioning/.test(url)
            ? { status: 200, body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>' }
            : null,
      }),
  },
  {
    name: 'the bucket of another installation',
    check: 'store.installation',
    says: 'belongs to the installation',
    plant: async (onEnd) => {
      const other = await createTestStorage();
      onEnd(() => other.drop());
      await writeInstallationMarker(other.storage, randomUUID());
      return { KINORA_S3_BUCKET: other.bucket };
    },
  },
  {
    name: 'a wrong clock of the store',
    check: 'store.clock',
    says: 'The clock of the store is',
    plant: (onEnd) => viaProxy(onEnd, { clockMilliseconds: -60_000 }),
  },
  {
    name: 'a models file with a mistake',
    check: 'models.file',
    says: 'docs/models.md',
    plant: async () => {
      const path = join(folder, 'broken.yaml');
      await writeFile(path, 'models:\n  - id: wan\n    pool: nowhere\n');
      return { KINORA_MODELS_FILE: path };
    },
  },
  {
    name: 'no worker',
    check: 'roles.missing',
    says: 'kinora-server start --roles worker',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      await query(own.url, `delete from processes where roles = '{worker}'`);
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'a frozen worker beside another',
    check: 'roles.silent',
    says: 'has been silent for 7',
    plant: async (onEnd) => {
      const frozen = { ...worker, host: 'gpu-2', silentSeconds: 70 };
      return { KINORA_DATABASE_URL: (await ownDatabase(onEnd, [frozen])).url };
    },
  },
  {
    name: 'versions too far apart',
    check: 'roles.versions',
    says: 'Finish the upgrade',
    plant: async (onEnd) => ({
      KINORA_DATABASE_URL: (await ownDatabase(onEnd, [{ ...worker, version: '0.3.0' }])).url,
    }),
  },
  {
    name: 'a worker with a wrong clock',
    check: 'roles.clock',
    says: '61 s behind',
    plant: async (onEnd) => ({
      KINORA_DATABASE_URL: (await ownDatabase(onEnd, [{ ...worker, aheadMilliseconds: -61_000 }])).url,
    }),
  },
  {
    name: 'a relay whose timer fails',
    check: 'roles.timers',
    says: 'relay.timer_failed',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      const timers = JSON.stringify([{ ...timer, endedAt: '2026-01-01T00:00:00Z' }]);
      await query(own.url, `update processes set timers = '${timers}' where roles = '{relay}'`);
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'tasks for a pool that nobody serves',
    check: 'pools.unserved',
    says: 'gone (3)',
    plant: async (onEnd) => {
      const own = await ownDatabase(onEnd);
      const { id } = await own.db.projects.insert('waiting', systemClock.now());
      await query(
        own.url,
        `insert into pool_waiting (project_id, livemode, pool, waiting) values ('${uuidFromId('proj', id)}', true, 'gone', 3)`,
        `insert into unserved_pools (pool, since, noted_at) values ('gone', now() - interval '2 minutes', now())`,
      );
      return { KINORA_DATABASE_URL: own.url };
    },
  },
  {
    name: 'another models file than that of the running API',
    check: 'models.agreement',
    says: 'another models file',
    plant: async () => ({ KINORA_MODELS_FILE: await writeModels(await startEngine()) }),
  },
  {
    name: 'no animatic at the address',
    check: 'animatic',
    says: 'Start kinora-animatic',
    plant: async () => ({ KINORA_ANIMATIC_URL: 'http://127.0.0.1:1' }),
  },
  {
    name: 'an engine that is away',
    check: 'engines',
    says: 'gpu-1: its health check failed',
    plant: async (onEnd) => withEngine(onEnd, 'http://127.0.0.1:1'),
  },
  {
    name: 'an engine with another model',
    check: 'engines',
    says: 'change it to "model: ltx"',
    plant: async (onEnd) => withEngine(onEnd, await startEngine({ model: 'ltx' })),
  },
  {
    name: 'a wrong clock of an engine',
    check: 'engines.clock',
    says: 'The clock of the engine gpu-1 is 120 s ahead',
    plant: async (onEnd) => withEngine(onEnd, await startEngine({ clockMilliseconds: 120_000 })),
  },
  {
    name: 'a public URL that leads to another program',
    check: 'public_url',
    says: 'does not lead to this installation',
    plant: async () => ({ KINORA_PUBLIC_URL: await startEngine() }),
  },
  {
    name: 'a public URL that leads to an API with other secret keys',
    check: 'public_url',
    says: 'signature_invalid',
    plant: async () => ({ KINORA_SECRET_KEYS: 'the-key-of-quite-another-installation' }),
  },
  {
    name: 'a public URL that leads nowhere',
    check: 'public_url',
    says: 'cannot be reached',
    plant: async () => ({ KINORA_PUBLIC_URL: 'http://127.0.0.1:1' }),
  },
];

/** Faults of Temporal that hold once it has read its configuration again. */
const laterFaults = [
  { namespace: namespaces.divided, check: 'temporal.partitions', says: 'has 4 partitions' },
  { namespace: namespaces.unfair, check: 'temporal.fairness', says: 'fairness is off' },
];

// On a machine that is busy with other tests, a check may run out of time.
const busyMachine = { retry: 2 };

describe('on a healthy installation', busyMachine, () => {
  test('no check fails or warns', async () => {
    const results = await runDoctor(healthy);
    expect(results.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  });
});

describe('a planted fault', busyMachine, () => {
  test.for(faults)('$name is found by $check and by no other check', async (fault, { onTestFinished }) => {
    const ends: (() => Promise<unknown>)[] = [];
    onTestFinished(async () => {
      for (const end of ends.toReversed()) await end();
    });
    const environment = await fault.plant((end) => ends.push(end));
    const programs = fault.ffmpeg ? { ffmpeg: await fault.ffmpeg() } : {};
    const results = await runDoctor({ ...healthy, ...environment }, programs);
    expect(notOkButLoopback(results)).toEqual([{ check: fault.check, verdict: fault.verdict ?? 'failed' }]);
    const { message, remedy } = results.find(({ check }) => check === fault.check) ?? {};
    expect(`${message} ${remedy}`).toContain(fault.says);
  });

  test('too little isolation is found by isolation and by no other check', async () => {
    const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
    const [command = '', ...words] = withoutUserNamespaces([process.execPath, main, 'doctor', '--json']);
    const environment = { ...healthy, KINORA_MINIMUM_ISOLATION: 'namespaces', PATH: '/usr/bin:/bin' };
    const { stdout } = await promisify(execFile)(command, words, { env: environment }).catch(
      (error: unknown) => error as { stdout: string },
    );
    const { checks } = JSON.parse(stdout) as { checks: DoctorResult[] };
    expect(notOk(checks)).toEqual([{ check: 'isolation', verdict: 'failed' }]);
  });

  test.for(laterFaults)(
    '$check finds what is wrong in the configuration of Temporal',
    async ({ namespace, check, says }) => {
      const diagnose = async () => {
        const results = await runDoctor({ ...healthy, KINORA_TEMPORAL_NAMESPACE: namespace });
        return { notOk: notOk(results), message: results.find((result) => result.check === check)?.message };
      };
      await expect
        .poll(diagnose, { interval: 1_000 })
        .toEqual({ notOk: [{ check, verdict: 'failed' }], message: expect.stringContaining(says) });
    },
  );
});

test('no result of a doctor contains a secret', async () => {
  const password = 'correct-horse-battery-staple';
  const url = new URL(database.url);
  url.password = password;
  url.port = '1';
  const results = JSON.stringify(await runDoctor({ ...healthy, KINORA_DATABASE_URL: url.href }));
  for (const secret of [password, healthy['KINORA_SECRET_KEYS'], healthy['KINORA_S3_SECRET_ACCESS_KEY']])
    expect(results).not.toContain(secret);
});
