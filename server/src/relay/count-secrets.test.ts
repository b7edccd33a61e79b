import { expect, test } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { countSecrets } from './count-secrets.ts';

/** Counts as the relay does. Returns the metric's lines and the logged lines. */
async function counted(underOtherKeys: number, unreadable: number) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', roles: ['relay'], write: (line: string) => lines.push(line) });
  const metrics = createMetrics();
  const rows = Array.from({ length: unreadable }, (_, index) => ({ table: 'webhook_endpoints', id: `whk_${index}` }));
  await countSecrets({ reviewSecrets: async () => ({ underOtherKeys, unreadable: rows }), log, metrics });
  const gauges = (await metrics.render()).match(/^kinora_stored_secrets\{.*$/gm);
  await metrics.close();
  return { gauges, lines };
}

test('the relay measures how many stored secrets the first key did not seal, and stays quiet if a key opens all of them', async () => {
  expect(await counted(3, 0)).toEqual({
    gauges: ['kinora_stored_secrets{state="other_key"} 3', 'kinora_stored_secrets{state="unreadable"} 0'],
    lines: [],
  });
});

test('the relay logs an error while there are stored secrets that no key opens', async () => {
  const { gauges, lines } = await counted(0, 2);
  expect(gauges).toContain('kinora_stored_secrets{state="unreadable"} 2');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: 'secrets.unreadable', level: 50, secrets: 2 },
  ]);
});
