import { createApiClient } from '@kinora/stack/harness/api-client';
import { type ConsoleClient, signIn } from '@kinora/stack/harness/console-client';
import { beforeAll, expect, inject, test } from 'vitest';
import { accounts } from './console-world.ts';

interface Endpoint {
  id: string;
  state: string;
  since: number | null;
  reason: string | null;
  slots: { state: string; task_id: string | null; project_id: string | null; livemode: boolean | null }[];
}
interface Board {
  pools: { name: string; models: string[]; waiting: number; endpoints: Endpoint[] }[];
}

const { consoleUrl, url, projectId, testKey } = inject('console');
let operator: ConsoleClient;
beforeAll(async () => {
  const { email, password } = accounts.operator;
  operator = await signIn(consoleUrl, '/sign-in', { email, password });
});

async function endpoint(id: string): Promise<Endpoint | undefined> {
  const { pools } = await operator.call<Board>('GET', '/engines');
  return pools.flatMap(({ endpoints }) => endpoints).find((one) => one.id === id);
}

/** Reads the board less often than a poll does by default. */
async function untilState(id: string, state: string): Promise<void> {
  await expect.poll(async () => (await endpoint(id))?.state, { interval: 200 }).toBe(state);
}

test('the board shows the task that a slot is busy with', async () => {
  const client = createApiClient({ url, key: testKey });
  const { task_id } = await client.create({ prompt: 'A train crosses a valley', resolution: '1080p', duration: 10 });
  await expect
    .poll(async () => (await endpoint('animatic'))?.slots)
    .toContainEqual(expect.objectContaining({ task_id, state: 'busy', project_id: projectId, livemode: false }));
  await client.cancel(task_id);
});

test('an endpoint that an operator drains gets no jobs until it is resumed, and the audit log says who did it', async () => {
  await untilState('cog-1', 'accepting');
  const drained = await operator.call<Endpoint>('POST', '/engines/cog-1/drain');
  expect(drained).toMatchObject({ state: expect.stringMatching(/^drain/), since: expect.any(Number) });
  await untilState('cog-1', 'drained');
  await operator.call('POST', '/engines/cog-1/resume');
  await untilState('cog-1', 'accepting');
  const { data } = await operator.call<{ data: object[] }>('GET', '/audit-events?limit=2');
  const actor = { type: 'operator', operator: accounts.operator.email, command: 'console' };
  expect(data).toMatchObject([
    { action: 'engine.resumed', object_id: 'cog-1', actor },
    { action: 'engine.drained', object_id: 'cog-1', actor },
  ]);
});

test('Postgres, Temporal and the store are well, and the doctor that runs in the console finds no fault', async () => {
  const { checks } = await operator.call<{ checks: { status: string }[] }>('GET', '/health');
  expect(checks.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  // Twice, because the second run shares what the first has started.
  for (const run of [1, 2]) {
    const report = await operator.call<{ checks: { name: string; status: string }[] }>('POST', '/doctor');
    const wrong = report.checks.filter(({ status }) => status === 'failed' || status === 'skipped');
    expect([run, wrong]).toEqual([run, []]);
    expect(report.checks.length).toBeGreaterThan(20);
  }
});
