import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { useTestDatabase } from '../db/database.fixture.ts';
import { newId, newProjectId } from '../domain/id.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { type Foundation, wireFoundation } from './foundation.ts';
import { wireOperators } from './wire-operators.ts';

const database = useTestDatabase();
let foundation: Foundation;
const store = useTestStorage();

beforeAll(async () => {
  const environment = {
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_DATABASE_URL: database.url,
    KINORA_S3_BUCKET: store.bucket,
  };
  foundation = wireFoundation(readConfig(environment), ['console']);
  await foundation.models.open();
});
afterAll(async () => {
  await foundation?.close();
});

it('an operator sees the endpoints of the models file, drains one, and finds that in the audit log', async () => {
  const operators = wireOperators(foundation, null);
  const person = { id: newId('person', new Date()) };
  const origin = { address: '203.0.113.7', userAgent: 'a browser', requestId: 'req_1' };
  const operator = { operator: 'ada@example.com', command: 'console', person, origin };
  expect((await operators.readEngineBoard()).pools).toMatchObject([
    { name: 'animatic', models: ['animatic'], waiting: 0, endpoints: [{ id: 'animatic', state: 'unprobed' }] },
  ]);
  expect(await operators.setDrained(operator, 'animatic', true)).toMatchObject({ id: 'animatic', state: 'drained' });
  await expect(operators.setDrained(operator, 'gpu-1', true)).rejects.toThrow('Endpoint gpu-1 not found.');
  const query = { after: null, limit: 10, order: 'desc', filter: {} } as const;
  const { events, hasMore } = await operators.listAuditEvents(null, query);
  expect(events).toMatchObject([
    { action: 'engine.drained', objectId: 'animatic', operator: 'ada@example.com', personId: person.id, ...origin },
  ]);
  expect(hasMore).toBe(false);
  expect((await operators.listAuditEvents(newProjectId(new Date()), query)).events).toEqual([]);
  expect((await operators.listAuditEvents('acme', query)).events).toEqual([]);
});

it('Postgres, Temporal and the store are measured', async () => {
  const operators = wireOperators(foundation, null);
  // A call to Temporal may take 2 s, which a busy machine may exceed once.
  const measure = async () =>
    (await operators.checkHealth()).map(({ part, status, message }) => [part, status, message]);
  await expect.poll(measure).toEqual([
    ['postgres', 'ok', null],
    ['temporal', 'ok', null],
    ['store', 'ok', null],
  ]);
});
