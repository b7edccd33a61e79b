import { createApiClient } from '@kinora/stack/harness/api-client';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { type ConsoleClient, signIn } from './console-client.ts';
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
const patience = { timeout: 60_000, interval: 200 };
let operator: ConsoleClient;
beforeAll(async () => {
  const { email, password } = accounts.operator;
  operator = await signIn(consoleUrl, '/sign-in', { email, password });
});

async function endpoint(id: string): Promise<Endpoint | undefined> {
  const { pools } = await operator.call<Board>('GET', '/engines');
  return pools.flatMap(({ endpoints }) => endpoints).find((one) => one.id === id);
}

test('the board shows the task that a slot is busy with', async () => {
  const client = createApiClient({ url, key: testKey });
  const { task_id } = await client.create({ prompt: 'A train crosses a valley', resolution: '1080p', duration: 10 });
  await vi.waitFor(async () => {
    const slots = (await endpoint('animatic'))?.slots ?? [];
    expect(slots.find((slot) => slot.task_id === task_id)).toMatchObject({
      state: 'busy',
      project_id: projectId,
      livemode: false,
    });
  }, patience);
  await client.cancel(task_id);
});

test('an endpoint that an operator drains gets no jobs until it is resumed, and the audit log says who did it', async () => {
  await vi.waitFor(async () => expect((await endpoint('cog-1'))?.state).toBe('accepting'), patience);
  const drained = await operator.call<Endpoint>('POST', '/engines/cog-1/drain');
  expect(drained).toMatchObject({ state: expect.stringMatching(/^drain/), since: expect.any(Number) });
  await vi.waitFor(async () => expect((await endpoint('cog-1'))?.state).toBe('drained'), patience);
  await operator.call('POST', '/engines/cog-1/resume');
  await vi.waitFor(async () => expect((await endpoint('cog-1'))?.state).toBe('accepting'), patience);
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
