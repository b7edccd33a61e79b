import { describe, expect, it } from 'vitest';
import { strayId } from '../domain/id.fixture.ts';
import { rawKey } from '../domain/object-key.ts';
import { useWorld } from '../operations/operations.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { dailySweep } from './daily-sweep.ts';

const hourSeconds = 60 * 60;

const world = useWorld();
const store = useTestStorage();

describe('the sweep of the relay', () => {
  it('the relay sweeps no earlier than an hour after its start, only with the lock, and reports a refusal', async () => {
    const { storage } = store;
    const lines: string[] = [];
    const log = createLog({ level: 'info', roles: [], write: (line) => void lines.push(line) });
    const metrics = createMetrics();
    const orphan = rawKey(strayId('task', world.clock.now()), 1);
    await storage.put(orphan, Buffer.from('x'), 'video/mp4');
    await world.moveClock(2 * 24 * hourSeconds);
    let isHeld = true;
    const run = dailySweep({ ...world, storage, log, metrics, lock: { isHeld: () => isHeld } });

    await run();
    await world.moveClock(hourSeconds - 1);
    await run();
    await world.moveClock(1);
    isHeld = false;
    await run();
    expect(lines).toEqual([]);
    expect(await metrics.render()).toContain('kinora_sweep_refused 0');

    isHeld = true;
    await run();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'sweep.refused', reason: 'older_database' }]);
    expect(await metrics.render()).toContain('kinora_sweep_refused 1');
    expect(await storage.head(orphan)).not.toBeNull();

    await storage.delete([orphan]);
    await run();
    expect(await metrics.render()).toContain('kinora_sweep_refused 1');
    await world.moveClock(hourSeconds);
    await run();
    expect(await metrics.render()).toContain('kinora_sweep_refused 0');
    await metrics.close();
  });
});
