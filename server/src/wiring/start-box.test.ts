import { expect, it } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startBox } from './start-box.ts';

it('the isolation that was reached is in the log and in a metric', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', roles: ['worker'], write: (line) => void lines.push(line) });
  const metrics = createMetrics();
  const { isolation } = await startBox({ KINORA_MINIMUM_ISOLATION: 'confined' }, log, metrics);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'box.started', isolation }]);
  expect(await metrics.render()).toContain(`kinora_isolation{level="${isolation}"} 1`);
  expect(await metrics.render()).toContain('kinora_isolation{level="limits"} 0');
  await metrics.close();
});
