import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { eventually } from '@kinora/stack/harness/eventually';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startProcess } from '@kinora/stack/parts/processes';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../db/database.fixture.ts';
import { systemClock } from '../domain/clock.ts';

const program = join(import.meta.dirname, '../main.ts');
const password = 'correct horse battery staple';

/** Starts the role in production mode on a database of its own. */
async function startConsole() {
  const database = await createTestDatabase(2);
  const folder = temporaryFolder('start-console', onTestFinished);
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, 'console.log');
  const role = startProcess({
    name: 'console',
    command: process.execPath,
    arguments: [program, 'start', '--roles', 'console'],
    environment: {
      ...inject('stackEnvironment'),
      KINORA_ENV: 'production',
      KINORA_LOG_LEVEL: 'trace',
      KINORA_SECRET_KEYS: 'H2dkq0ZfPTnWTYVCMDS1mC3Bdc0TqPs3mQOv0kYwMhk=',
      KINORA_DATABASE_URL: database.url,
      KINORA_CONSOLE_URL: url,
      KINORA_CONSOLE_PORT: String(port),
      KINORA_PRIVATE_PORT: '0',
      KINORA_SCRATCH_FOLDER: join(folder, 'scratch'),
    },
    logPath,
  });
  onTestFinished(async () => {
    role.kill();
    await role.exited;
    await database.drop();
  });
  const readLog = () => readFile(logPath, 'utf8');
  await eventually('the console has logged its link', async () => (await readLog()).includes('console.needs_operator'));
  return { url, readLog, db: database.db };
}

it('the role makes the first operator by the link in its log, and writes no other secret into its log or the audit log', async () => {
  const { url, readLog, db } = await startConsole();
  const [, link = ''] = /"link":"([^"]+)"/.exec(await readLog()) ?? [];
  expect(link).toMatch(new RegExp(`^${url}/welcome#token=[\\w-]{43}$`));
  const [, token = ''] = link.split('#token=');
  const project = await db.projects.insert('first', systemClock.now());
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${url}/console-api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-kinora-console': '1', origin: url, cookie },
      body: JSON.stringify(body),
    });

  expect(await (await fetch(`${url}/console-api/session`)).json()).toMatchObject({
    signed_in: false,
    sign_in: { password: true, development: false, needs_first_operator: true },
    environment: 'production',
  });
  const made = await post('first-operator', { token, email: 'ada@example.com', name: 'Ada', password });
  expect(await made.json()).toMatchObject({ signed_in: true, projects: [{ id: project.id, role: 'admin' }] });
  const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? '';
  const again = await post('first-operator', { token, email: 'eve@example.com', name: 'Eve', password });
  expect(again.status).toBe(403);
  const wrong = await post('sign-in', { email: 'ada@example.com', password: 'not her password' });
  expect(wrong.status).toBe(401);
  const issued = await post('tokens', { project_id: project.id, livemode: false }, cookie);
  const { token: accessToken } = (await issued.json()) as { token: string };
  expect(accessToken).toMatch(/^kin_token_/);
  expect((await post('sign-out', {}, cookie)).status).toBe(204);
  expect((await post('tokens', { project_id: project.id, livemode: false }, cookie)).status).toBe(401);

  const readAudit = async () => JSON.stringify(await db.kysely.selectFrom('audit_events').selectAll().execute());
  await eventually('the refusal is recorded', async () => (await readAudit()).includes('person.sign_in_refused'));
  const [log, audit] = [await readLog(), await readAudit()];
  expect(log).toContain('"route":"/console-api/sign-in"');
  const [, cookieSecret = ''] = cookie.split('=');
  for (const secret of [password, 'not her password', cookieSecret, accessToken]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(log).not.toContain(secret);
    expect(audit).not.toContain(secret);
  }
  expect(log.split(token)).toHaveLength(2);
  expect(audit).not.toContain(token);
});
