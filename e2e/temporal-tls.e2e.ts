import { readFileSync } from 'node:fs';
import { chmod, chown, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient, download } from '@kinora/stack/harness/api-client';
import { type Installation, runCommand, startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import type { Stack } from '@kinora/stack/parts/stack';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type Certificates,
  makeCertificates,
  startMutualTlsTemporal,
  startTokenIssuer,
  startTokenTemporal,
  temporalName,
} from './secured-temporal.ts';

let stack: Stack;
let certificates: Certificates;
const closing: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  stack = await startTemporaryStack('temporal-tls');
  certificates = await makeCertificates(join(stack.info.folder, 'certificates'));
});
afterEach(async () => {
  for (const part of closing.splice(0).toReversed()) await part.close();
});
afterAll(() => stack?.wipe());

async function install(environment: Record<string, string>): Promise<Installation> {
  const installation = await startInstallation({ stack, environment });
  closing.push(installation);
  return installation;
}

/** Renders a video, so that the API and the worker have used Temporal; returns the id of its task. */
async function renderOne(installation: Installation): Promise<string> {
  const client = createApiClient({ url: installation.url, key: installation.testKey });
  const end = await runToEnd(client, { prompt: 'A locked gate', ...smallestVideo });
  expect(end).toMatchObject({ status: 'completed', error: null });
  expect((await download(end.video_url)).bytes.length).toBe(end.video?.size_bytes);
  return end.task_id;
}

/** Returns the state of a task's workflow as a command with these settings learns it from Temporal. */
async function workflowState({ environment }: Installation, taskId: string, changed: Record<string, string> = {}) {
  const shown = await runCommand({ ...environment, ...changed }, 'tasks', 'show', taskId);
  return (JSON.parse(shown) as { workflow: string }).workflow;
}

const refused = 'unknown: Temporal does not respond';

/** Lets the stack's Postgres accept TLS as well, and returns a URL whose user insists on it. */
async function encryptPostgres(): Promise<string> {
  const data = join(stack.info.folder, 'postgres');
  const { uid, gid } = await stat(data);
  // Postgres looks for these names, and refuses a key that others can read.
  for (const [from, name] of [
    [certificates.server.certFile, 'server.crt'],
    [certificates.server.keyFile, 'server.key'],
  ] as const) {
    await copyFile(from, join(data, name));
    await chmod(join(data, name), 0o600);
    await chown(join(data, name), uid, gid);
  }
  await query('alter system set ssl = on');
  await query('select pg_reload_conf()');
  const url = new URL(stack.info.databaseUrl);
  url.hostname = 'localhost'; // as in the certificate
  url.search = `sslmode=verify-full&sslrootcert=${certificates.authority}`;
  return url.href;
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  await using database = await openDatabase(stack);
  return (await database.query<Record<string, unknown>>(sql)).rows;
}

test('Kinora renders a video with a Temporal that asks for client certificates, and with TLS to Postgres', async () => {
  closing.push(await startMutualTlsTemporal(stack, certificates));
  const installation = await install({
    KINORA_DATABASE_URL: await encryptPostgres(),
    KINORA_TEMPORAL_TLS_CA_FILE: certificates.authority,
    KINORA_TEMPORAL_TLS_CERT_FILE: certificates.client.certFile,
    KINORA_TEMPORAL_TLS_KEY_FILE: certificates.client.keyFile,
    KINORA_TEMPORAL_TLS_SERVER_NAME: temporalName,
  });
  const taskId = await renderOne(installation);
  await expect.poll(() => workflowState(installation, taskId)).toBe('completed');
  const sessions = await query(
    "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'kinora' and pid <> pg_backend_pid()",
  );
  expect(sessions.length).toBeGreaterThan(3);
  expect(sessions.filter(({ ssl }) => ssl !== true)).toEqual([]);
  const without = { KINORA_TEMPORAL_TLS_CERT_FILE: '', KINORA_TEMPORAL_TLS_KEY_FILE: '' };
  expect(await workflowState(installation, taskId, without)).toBe(refused);
  // The certificate of the server is checked as well: its issuer, and its name.
  expect(await workflowState(installation, taskId, { KINORA_TEMPORAL_TLS_CA_FILE: '' })).toBe(refused);
  const otherKey = { KINORA_TEMPORAL_TLS_KEY_FILE: certificates.server.keyFile };
  await expect(workflowState(installation, taskId, otherKey)).rejects.toThrow('must be the key of the certificate');
  const otherName = { KINORA_TEMPORAL_TLS_SERVER_NAME: 'other.kinora.test' };
  expect(await workflowState(installation, taskId, otherName)).toBe(refused);
});

test('Kinora renders a video with a Temporal that asks for an API key, and shows the key nowhere', async () => {
  const issuer = await startTokenIssuer();
  closing.push(issuer, await startTokenTemporal(stack, certificates, issuer.keysUrl));
  const token = issuer.tokenFor(['kinora:read', 'kinora:write', 'kinora:worker']);
  const installation = await install({
    KINORA_TEMPORAL_TLS_CA_FILE: certificates.authority,
    KINORA_TEMPORAL_TLS_SERVER_NAME: temporalName,
    KINORA_TEMPORAL_API_KEY: token,
  });
  const taskId = await renderOne(installation);
  await expect.poll(() => workflowState(installation, taskId)).toBe('completed');
  for (const other of ['', issuer.tokenFor(['other:read']), `${token}x`])
    expect(await workflowState(installation, taskId, { KINORA_TEMPORAL_API_KEY: other })).toBe(refused);
  for (const role of ['api', 'relay', 'worker'] as const) {
    const pid = installation.process(role)?.pid;
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(token);
    expect(readFileSync(installation.logPath(role), 'utf8')).not.toContain(token);
  }
});
