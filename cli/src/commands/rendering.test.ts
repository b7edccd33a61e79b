import { readFile } from 'node:fs/promises';
import type { ApiKey, Limits, Model, Task, Timeline, Usage } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { renderKeys } from './keys.ts';
import { renderLimits } from './limits.ts';
import { renderModels } from './models.ts';
import { renderTask } from './show.ts';
import { renderUsage } from './usage.ts';

const contract = JSON.parse(await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, { examples: unknown[] }> };
};
/** Returns an example from openapi.json. The tests of the API validate these against their schemas. */
const example = (name: string) => contract.components.schemas[name]?.examples[0];

const task = example('Task') as Task;
const timeline = example('Timeline') as Timeline;
const now = (timeline.created_at + 60) * 1000;

test('a waiting task shows its queue position and the expected time left', () => {
  const waiting = {
    ...task,
    status: 'queued',
    stage: 'waiting',
    progress: 0,
    is_final: false,
    queue_position: 3,
  } as Task;
  const text = renderTask(
    { ...waiting, estimated_completion_at: now / 1000 + 40 },
    { ...timeline, stages: [], attempts: [] },
    now,
  );
  expect(text).toMatch(/^status +queued, waiting, 0 %$/m);
  expect(text).toMatch(/^position +3$/m);
  expect(text).toMatch(/^expected +about 40 s$/m);
});

test('a failed task shows its error, and each attempt its endpoint and outcome', () => {
  const error = { code: 'engine_lost', message: 'The engine is gone.', retryable: true, stage: 'rendering' } as const;
  const [attempt] = timeline.attempts;
  if (!attempt) throw new Error('the example has an attempt');
  const attempts = [
    { ...attempt, outcome: 'engine_crashed', takeovers: 1 },
    { ...attempt, attempt: 2, endpoint: 'gpu-b', outcome: null, engine_seconds: null },
  ];
  const failed = { ...task, is_final: true, status: 'failed', error } as Task;
  const text = renderTask(failed, { ...timeline, attempts }, now);
  expect(text).toContain('engine_lost: The engine is gone. The same request may succeed.');
  expect(text).toMatch(/^ +1 {2}.* s {2}engine_crashed, taken over once$/m);
  expect(text).toMatch(/^ +2 {2}gpu-b .* – {2}under way$/m);
});

test('text from prompts, errors and warnings cannot control the terminal', () => {
  const text = renderTask({ ...task, prompt: 'one\u001b[2J\ntwo\u202e', metadata: { a: 'b\rc' } }, timeline, now);
  expect(text).toContain('one [2J two\n');
  expect(text).toMatch(/^metadata +a: b c$/m);
  const error = {
    code: 'engine_rejected_input',
    message: 'no\u001b[2J',
    retryable: false,
    stage: 'rendering',
  } as const;
  const warnings = [
    { code: 'unknown_words', param: 'prompt', message: 'passed over\u009b31m' },
  ] as unknown as Task['warnings'];
  const failed = renderTask({ ...task, status: 'failed', error, warnings } as Task, timeline, now);
  expect(failed).toMatch(/^error +engine_rejected_input: no \[2J$/m);
  expect(failed).toMatch(/^warning +passed over 31m$/m);
});

test('models show what they can do, and empty columns are left out', () => {
  const model = example('Model') as Model;
  const text = renderModels([
    model,
    { ...model, id: 'plain', is_default: false, aliases: [], speeds: [], price: null },
  ]);
  expect(text.split('\n')[0]).toContain('also called');
  expect(text).toMatch(/^plain .* – +–/m);
  expect(renderModels([{ ...model, aliases: [], price: null }])).not.toMatch(/also called|costs/);
});

test('limits are shown in two tables, with the time until a burst is available again', () => {
  const lines = renderLimits(example('Limits') as Limits).split('\n');
  expect(lines[0]).toContain('live mode');
  expect(lines).toContain('running    2        2');
  expect(lines).toContain('creates         60       10         7           3 s');
  expect(lines).toContain('bytes           1.3 GB  100.0 GB');
});

test('usage leaves out empty buckets and shows a total', () => {
  const usage = example('Usage') as Usage;
  const [bucket] = usage.data;
  if (!bucket) throw new Error('the example has a bucket');
  const empty = { ...bucket, results: bucket.results.map((result) => ({ ...result, tasks: 0 })) };
  const rows = renderUsage({ ...usage, data: [bucket, empty, bucket] }, 'day').split('\n');
  expect(rows.slice(0, 4).map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
    ['day (UTC)', 'tasks', 'completed'],
    ['2026-11-15', '42', '40'],
    ['2026-11-15', '42', '40'],
    ['in all', '84', '80'],
  ]);
  expect(renderUsage({ ...usage, data: [empty] }, 'hour')).toBe('Nothing ended in the last 48 hours.');
});

test('keys show whether they are valid, and until when', () => {
  const key = { ...(example('ApiKey') as ApiKey), last_used_at: null };
  const at = 1_794_800_000;
  const keys = [key, { ...key, revoked_at: 1 }, { ...key, expires_at: at - 1 }, { ...key, expires_at: at + 1 }];
  const states = renderKeys(keys, at * 1000)
    .split('\n')
    .slice(1)
    .map((row) => row.split(/ {2,}/)[4]?.split(' ')[0]);
  expect(states).toEqual(['valid', 'revoked', 'expired', 'until']);
  expect(renderKeys([])).toBe('No keys.');
});
