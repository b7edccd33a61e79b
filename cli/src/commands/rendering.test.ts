import { readFile } from 'node:fs/promises';
import type {
  ApiKey,
  Estimate,
  KinoraEvent,
  Limits,
  Model,
  Task,
  Timeline,
  TriedWebhookDelivery,
  Usage,
  WebhookEndpoint,
} from '@kinora/sdk';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../terminal/text-width.ts';
import { renderEstimate } from './estimate.ts';
import { renderKeys } from './keys.ts';
import { renderLimits } from './limits.ts';
import { renderTasks } from './list.ts';
import { renderForwarded } from './listen.ts';
import { renderModels } from './models.ts';
import { renderTask } from './show.ts';
import { renderUsage } from './usage.ts';
import { renderDeliveries, renderDelivery } from './webhook-deliveries.ts';
import { renderEndpoints } from './webhooks.ts';

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
    undefined,
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
  const text = renderTask(failed, { ...timeline, attempts }, undefined, now);
  expect(text).toContain('engine_lost: The engine is gone. The same request may succeed.');
  expect(text).toMatch(/^ +1 {2}.* s {2}engine_crashed, taken over once$/m);
  expect(text).toMatch(/^ +2 {2}gpu-b .* – {2}in progress$/m);
});

test('text from prompts, errors and warnings cannot control the terminal', () => {
  const text = renderTask(
    { ...task, prompt: 'one\u001b[2J\ntwo\u202e', metadata: { a: 'b\rc' } },
    timeline,
    undefined,
    now,
  );
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
  const failed = renderTask({ ...task, status: 'failed', error, warnings } as Task, timeline, undefined, now);
  expect(failed).toMatch(/^error +engine_rejected_input: no \[2J$/m);
  expect(failed).toMatch(/^warning +passed over 31m$/m);
});

test('models show what they can do, and empty columns are left out', () => {
  const model = example('Model') as Model;
  const text = renderModels([
    model,
    { ...model, id: 'plain', is_default: false, aliases: [], speeds: [], price: null },
  ]);
  expect(text.split('\n')[0]).toContain('aliases');
  expect(text).toMatch(/^plain .* – +–/m);
  expect(renderModels([{ ...model, aliases: [], price: null }])).not.toMatch(/aliases|cost/);
});

const endpoint = example('WebhookEndpoint') as WebhookEndpoint;
const delivery = example('TriedWebhookDelivery') as TriedWebhookDelivery;
const estimate = example('Estimate') as Estimate;
const attemptOf = ({ tries: [first] }: TriedWebhookDelivery) => {
  if (!first) throw new Error('the example has a try');
  return first;
};

test('webhook endpoints show whether they work, and which events they get', () => {
  const endpoints: WebhookEndpoint[] = [
    endpoint,
    { ...endpoint, events: [], failing_since: 1 },
    { ...endpoint, status: 'disabled', disabled_reason: 'gone' },
    { ...endpoint, status: 'disabled', disabled_reason: 'by_caller' },
  ];
  const rows = renderEndpoints(endpoints).split('\n').slice(1);
  expect(rows.map((row) => row.split(/ {2,}/)[1])).toEqual(['enabled', 'failing', 'disabled: gone', 'disabled']);
  expect(rows.map((row) => row.split(/ {2,}/)[3]).slice(0, 2)).toEqual(['video.completed video.failed', 'all']);
  expect(renderEndpoints([])).toBe('No webhook endpoints.');
});

test('deliveries show where they went, and each try its result', () => {
  const dead = { ...delivery, status: 'dead', dead_reason: 'tries_used_up', endpoint_id: null, task_id: null } as const;
  expect(renderDeliveries([delivery, dead]).split('\n').slice(1)).toEqual([
    expect.stringMatching(/^del_\w+ +delivered +video.completed +2 +\S+ +whk_\w+ +task_\w+$/),
    expect.stringMatching(/^del_\w+ +dead: tries_used_up +video.completed +2 +\S+ +callback URL +–$/),
  ]);
  expect(renderDelivery(delivery)).toMatch(/^ +1 +\S+ +20000 ms +– +timeout$/m);
  expect(renderDelivery(delivery)).toMatch(/^ +2 +\S+ +84 ms +204$/m);
  expect(renderDeliveries([])).toBe('No deliveries.');
});

test('an estimate shows the size, the price and every warning', () => {
  const warnings = [{ code: 'unknown_words', param: 'prompt', message: 'It knows no cats.' }] as Estimate['warnings'];
  const priced = { ...estimate, price: { amount: '0.12', currency: 'USD' }, expected_seconds: 41.2, warnings };
  const lines = renderEstimate(priced).split('\n');
  expect(lines).toContain('video     1280x720, 5 s, random seed');
  expect(lines).toContain('price     0.12 USD');
  expect(lines).toContain('takes     about 41.2 s once it has started');
  expect(lines).toContain('warning   It knows no cats.');
  expect(renderEstimate(estimate)).not.toContain('price');
});

test('limits are shown in two tables, with the time until a burst is available again', () => {
  const lines = renderLimits(example('Limits') as Limits).split('\n');
  expect(lines[0]).toContain('live mode');
  expect(lines).toContainEqual(expect.stringMatching(/^running +2 +2$/));
  expect(lines).toContainEqual(expect.stringMatching(/^waiting, in all +14 +1000$/));
  expect(lines).toContain('creates           60     10          7        3 s');
  expect(lines).toContain('bytes           1.3 GB  100.0 GB');
});

test('usage leaves out empty buckets and shows a total', () => {
  const usage = example('Usage') as Usage;
  const [bucket] = usage.data;
  if (!bucket) throw new Error('the example has a bucket');
  const empty = { ...bucket, results: bucket.results.map((result) => ({ ...result, tasks: 0 })) };
  const rows = renderUsage({ ...usage, data: [bucket, empty, bucket] }, { by: 'day' }).split('\n');
  expect(rows.slice(0, 4).map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
    ['day (UTC)', 'tasks', 'completed'],
    ['2026-11-15', '42', '40'],
    ['2026-11-15', '42', '40'],
    ['total', '84', '80'],
  ]);
  expect(renderUsage({ ...usage, data: [empty] }, { by: 'hour' })).toBe('No tasks ended in the last 48 hours.');
});

test('keys show whether they are valid, and until when', () => {
  const key = { ...(example('ApiKey') as ApiKey), last_used_at: null };
  const at = 1_794_800_000;
  const keys = [key, { ...key, revoked_at: 1 }, { ...key, expires_at: at - 1 }, { ...key, expires_at: at + 1 }];
  const states = renderKeys(keys, undefined, at * 1000)
    .split('\n')
    .slice(1)
    .map((row) => row.split(/ {2,}/)[4]?.split(' ')[0]);
  expect(states).toEqual(['valid', 'revoked', 'expired', 'until']);
  expect(renderKeys([])).toBe('No keys.');
});

describe('in a narrow terminal', () => {
  const long = '船🚢 and a paper boat '.repeat(100).slice(0, 2000);
  const id = /(task|key|whk|del|evt)_[0-9a-z]{26}/;
  const key = { ...(example('ApiKey') as ApiKey), name: long, expires_at: 2_000_000_000 };
  const model = example('Model') as Model;
  const usage = example('Usage') as Usage;
  const [attempt] = timeline.attempts;
  if (!attempt) throw new Error('the example has an attempt');
  const event = { type: 'video.completed', data: task } as unknown as KinoraEvent; // no more is read
  const attempts = [{ ...attempt, endpoint: 'a-host-with-a-long-name.example.com', outcome: 'engine_rejected_input' }];
  const grouped = {
    ...usage,
    data: usage.data.map((bucket) => ({
      ...bucket,
      results: bucket.results.map((result) => ({ ...result, key_id: key.id })),
    })),
  };
  const tasks = [
    { ...task, prompt: long },
    { ...task, prompt: long, is_final: false, status: 'in_progress', stage: 'finishing', progress: 100 } as Task,
  ];
  const tables: [string, (columns: number) => string][] = [
    ['tasks', (columns) => renderTasks(tasks, columns)],
    ['keys', (columns) => renderKeys([key], columns)],
    ['models', (columns) => renderModels([{ ...model, aliases: ['one-alias', 'another-alias'] }], columns)],
    [
      'webhook endpoints',
      (columns) =>
        renderEndpoints([endpoint, { ...endpoint, description: long, url: `${endpoint.url}/${long}` }], columns),
    ],
    [
      'a delivery',
      (columns) => renderDelivery({ ...delivery, tries: [{ ...attemptOf(delivery), answer: long }] }, columns),
    ],
    [
      'an estimate',
      (columns) => renderEstimate({ ...estimate, request: { ...estimate.request, prompt: long } }, columns),
    ],
    [
      'forwarded events',
      (columns) => renderForwarded(event, { status: 500, milliseconds: 20_000, problem: long.slice(0, 120) }, columns),
    ],
    ['limits', (columns) => renderLimits(example('Limits') as Limits, columns)],
    ['usage', (columns) => renderUsage(usage, { by: 'hour', columns })],
    ['usage by key', (columns) => renderUsage(grouped, { by: 'day', group: 'key', columns })],
    [
      'a task',
      (columns) =>
        renderTask({ ...task, prompt: long, video_url: null, metadata: { long } }, { ...timeline, attempts }, columns),
    ],
  ];

  test.for(tables.flatMap(([name, render]) => [80, 60].map((columns) => ({ name, render, columns }))))(
    '$name fit $columns columns',
    ({ render, columns }) => {
      const text = render(columns);
      expect(text.split('\n').filter((line) => widthOf(line) > columns)).toEqual([]);
      // A narrow terminal shows every id whole, too.
      expect(text.match(new RegExp(id, 'g'))).toEqual(render(1e9).match(new RegExp(id, 'g')));
    },
  );

  test('a long prompt is shown whole, on several lines', () => {
    const text = renderTask({ ...task, prompt: long }, timeline, 60);
    const [, shown = ''] = /^prompt +(.*?)\n\S/ms.exec(text) ?? [];
    expect(shown.replace(/\s+/g, '')).toBe(long.replace(/\s+/g, ''));
  });
});
