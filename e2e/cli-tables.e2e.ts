import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentFor, folder, kinora, kinoraCommand } from './kinora-command.ts';
import { record } from './record-terminal.ts';

// The service is a script with fixed data, so that the same tables appear in every run. The terminal is real.

const contract = JSON.parse(await readFile(join(import.meta.dirname, '../openapi.json'), 'utf8')) as {
  components: { schemas: Record<string, { examples: Record<string, unknown>[] }> };
};
const example = (name: string) => contract.components.schemas[name]?.examples[0] ?? {};

const longPrompt = 'A paper boat drifts down a rain-soaked street at dusk. '.repeat(40).slice(0, 2000);
const cjkPrompt = '雨に濡れた通りを紙の船がゆっくりと流れていく。夕暮れの街。'.repeat(4);
const emojiPrompt = '🚢🌊👨‍👩‍👧 a family ❤️ on a ferry 🇯🇵 '.repeat(5).trim();
/** More than a day ago, so that a date is shown and not "3 min ago". */
const at = 1_700_000_000;

const idOf = (prefix: string, number: number) => `${prefix}_01k9zqv3x4e8rb6t7y2m5n0p${number}q`;
const tasks = [longPrompt, cjkPrompt, emojiPrompt].map((prompt, index) => ({
  ...example('Task'),
  id: idOf('task', index + 1),
  created_at: at,
  completed_at: at + 45,
  prompt,
  ...(index === 2 ? { status: 'in_progress', is_final: false, stage: 'finishing', progress: 99 } : {}),
}));
const [task] = tasks;
const keys = [longPrompt, cjkPrompt, emojiPrompt].map((name, index) => ({
  ...example('ApiKey'),
  id: idOf('key', index + 1),
  name: name.slice(0, 64),
  last_used_at: at,
  expires_at: index === 1 ? 4_000_000_000 : null,
}));
const models = [
  { ...example('Model'), aliases: ['fast', 'cinematic-large-preview'] },
  { ...example('Model'), id: 'cinematic-xl-2-preview', is_default: false },
];
const usage = example('Usage') as { data: { results: object[] }[] };
const grouped = {
  ...usage,
  data: [1, 2].flatMap((number) =>
    usage.data.map((bucket) => ({
      ...bucket,
      results: bucket.results.map((result) => ({ ...result, key_id: idOf('key', number) })),
    })),
  ),
};
const listOf = (data: readonly object[]) => ({ object: 'list', data, first_id: null, last_id: null, has_more: false });
const error = {
  message: 'image_url points to an address this service will not fetch. Use a public https URL or a data URI.',
  type: 'invalid_request_error',
  code: 'image_forbidden_address',
  param: 'image_url',
  retryable: false,
  details: [],
};

const responses: Record<string, unknown> = {
  '/v1/videos': listOf(tasks),
  [`/v1/videos/${task?.id}`]: { ...task, video_url: null },
  [`/v1/videos/${task?.id}/timeline`]: {
    ...example('Timeline'),
    attempts: [
      {
        ...(example('Timeline')['attempts'] as object[])[0],
        endpoint: 'a-machine-with-a-long-name.example.com',
        outcome: 'engine_rejected_input',
      },
    ],
  },
  '/v1/models': listOf(models),
  '/v1/limits': example('Limits'),
  '/v1/usage': usage,
  '/v1/usage?key': grouped,
  '/v1/api-keys': listOf(keys),
  '/v1/webhook-endpoints': listOf([{ ...example('WebhookEndpoint'), description: cjkPrompt, created_at: at }]),
  '/v1/webhook-deliveries': listOf([{ ...example('WebhookDelivery'), created_at: at }]),
};

let server: LoopbackServer;
beforeAll(async () => {
  server = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const group = searchParams.get('group_by');
    const body = responses[group ? `${pathname}?${group}` : pathname];
    const [status, content] = request.method === 'POST' ? [400, { error, request_id: 'req_1' }] : [200, body ?? {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  });
  const jobs = [longPrompt, cjkPrompt, emojiPrompt].map((prompt) => `${JSON.stringify({ prompt })}\n`);
  await writeFile(join(folder, 'jobs.jsonl'), jobs.join(''));
});
afterAll(() => server.close());

const environment = () => ({ ...environmentFor('kin_test_1', server.url), TZ: 'UTC' });

const commands: [name: string, ...args: string[]][] = [
  ['list', 'list'],
  ['show', 'show', task?.id ?? ''],
  ['models', 'models'],
  ['limits', 'limits'],
  ['usage', 'usage'],
  ['usage-by-key', 'usage', '--group', 'key'],
  ['keys', 'keys', 'list'],
  ['webhooks', 'webhooks', 'list'],
  ['deliveries', 'webhooks', 'deliveries'],
  ['refused-batch', 'batch', 'jobs.jsonl', '-o', 'videos'],
];

describe.each([80, 60])('in a terminal of %i columns', (columns) => {
  test.each(commands)('no line of the table of kinora %s wraps', async (name, ...args) => {
    const recording = record([...kinoraCommand, ...args], { environment: environment(), cwd: folder, columns });
    const { screen } = await recording.end();
    expect(recording.wrappedLines()).toEqual([]);
    await expect(`${screen}\n`).toMatchFileSnapshot(`snapshots/${name}-${columns}.txt`);
  });
});

test('without a terminal, a table shows every prompt whole', async () => {
  const { code, stdout } = await kinora(environment(), 'list');
  expect(code).toBe(0);
  for (const prompt of [longPrompt, cjkPrompt, emojiPrompt]) expect(stdout).toContain(prompt.trim());
});
