import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { useTestDatabase } from '../db/database.fixture.ts';
import { setDrained } from '../operations/engines/set-drained.ts';
import { operator } from '../operations/operations.fixture.ts';
import { acceptingPools } from '../operations/queue/accepting-pools.ts';
import { type Foundation, wireFoundation } from '../wiring/foundation.ts';
import { checkEndpoints } from './check-endpoints.ts';

/** A server that a check takes for an animatic process. */
const engine = forAllTests(
  () =>
    startLoopbackServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"engine":"animatic","version":"1.2.3","slots":2}'),
    ),
  (server) => server.close(),
);
const database = useTestDatabase();
const folder = temporaryFolder('engines');
let foundation: Foundation;

beforeAll(async () => {
  const path = join(folder, 'models.yaml');
  await writeFile(
    path,
    'models:\n  - id: animatic\npools:\n  - id: away\n    engine: openai-videos\n    dialect: sglang\n' +
      '    endpoints: [{ id: away-1, url: "http://127.0.0.1:1" }]\n',
  );
  const environment = {
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_DATABASE_URL: database.url,
    KINORA_ANIMATIC_URL: engine.url,
    KINORA_MODELS_FILE: path,
  };
  foundation = wireFoundation(readConfig(environment), ['command']);
});
afterAll(() => foundation?.close());

const reportOf = async (id: string) => (await checkEndpoints(foundation)).find(({ endpoint }) => endpoint === id);

it('a check probes every endpoint of the models file and shows the state that the service has stored', async () => {
  expect(await checkEndpoints(foundation)).toEqual([
    {
      endpoint: 'animatic',
      pool: 'animatic',
      engine: 'animatic',
      health: 'ok',
      version: '1.2.3',
      models: null,
      latencyMilliseconds: expect.any(Number),
      state: 'no worker has probed it yet',
      slots: { busy: 0, total: 2 },
    },
    expect.objectContaining({
      endpoint: 'away-1',
      engine: 'openai-videos',
      health: expect.stringContaining('its health check failed'),
    }),
  ]);
});

it('an endpoint is drained and resumed by its id; an unknown id is refused with a list of the known ones', async () => {
  const { db, clock, models } = foundation;
  const drain = (id: string, drainedAt: Date | null) =>
    setDrained({ db, clock, endpoints: () => models.current().endpoints }, operator, id, drainedAt);
  const status = {
    pool: 'animatic',
    slots: 2,
    isAccepting: true,
    reason: null,
    engine: 'animatic',
    version: '1',
    models: null,
  };
  await db.endpointStates.recordStatus('animatic', { ...status, latencyMilliseconds: 1 }, clock.now());
  expect((await reportOf('animatic'))?.state).toBe('accepting');
  expect(await acceptingPools(foundation)).toEqual(new Set(['animatic']));

  await drain('animatic', clock.now());
  expect((await reportOf('animatic'))?.state).toContain('drained by an operator since');
  await drain('animatic', null);
  expect((await reportOf('animatic'))?.state).toBe('accepting');
  await expect(drain('animatik', null)).rejects.toThrow(
    'Endpoint animatik not found. Known endpoints: animatic, away-1.',
  );
});

it('a pool accepts tasks only while the owner of one of its endpoints reports it as accepting', async () => {
  await sql`update endpoint_states set seen_at = now() - interval '31 seconds'`.execute(foundation.db.kysely);
  expect(await acceptingPools(foundation)).toEqual(new Set());
});
