import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TaskChange } from '../db/tasks/task-table.ts';
import { systemClock } from '../domain/clock.ts';
import { strayId } from '../domain/id.fixture.ts';
import { newProjectId } from '../domain/id.ts';
import { createLog } from '../telemetry/log.ts';
import { createNotices, decodeNotices, encodeNotices } from './notices.ts';

const log = createLog({ level: 'silent', roles: [] });
const changeOf = (version: number, livemode = true): TaskChange => ({
  taskId: strayId('task', new Date()),
  projectId: newProjectId(new Date()),
  livemode,
  version,
});

describe('notices', () => {
  it('notices carry all changes in payloads that Postgres accepts', () => {
    const changes = Array.from({ length: 1_000 }, (_, index) => changeOf(index, index % 2 === 0));
    const payloads = encodeNotices(changes);
    expect(payloads.every((payload) => Buffer.byteLength(payload) < 8_000)).toBe(true);
    expect(payloads.length).toBeLessThan(20);
    expect(payloads.flatMap(decodeNotices)).toEqual(changes);
    expect(encodeNotices([])).toEqual([]);
  });

  it('decoding notices skips entries in an unknown format', () => {
    const change = changeOf(3);
    const [payload] = encodeNotices([change]);
    expect(decodeNotices(`${payload}  task_x proj_y,live ${payload},more`)).toEqual([change]);
  });

  it('notices are sent at once, then in batches, at most once per 50 ms', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sent: TaskChange[][] = [];
    const notices = createNotices({
      send: async (payloads) => void sent.push(payloads.flatMap(decodeNotices)),
      clock: systemClock,
      log,
    });
    const changes = Array.from({ length: 30 }, (_, index) => changeOf(index));
    for (const change of changes) {
      notices.changed(change);
      notices.changed({ ...change, version: change.version + 1 });
      await vi.advanceTimersByTimeAsync(5);
    }
    await notices.close();
    expect(sent.flat()).toEqual(changes.map((change) => ({ ...change, version: change.version + 1 })));
    expect(sent.map((batch) => batch.length)).toEqual([1, 9, 10, 10]);
  });

  it('notices that cannot be sent are dropped, and later ones are sent', async () => {
    const sent: string[] = [];
    let isAway = true;
    let tries = 0;
    const notices = createNotices({
      clock: systemClock,
      send: async (payloads) => {
        tries += 1;
        if (isAway) throw new Error('away');
        sent.push(...payloads);
      },
      log,
    });
    notices.changed(changeOf(1));
    await expect.poll(() => tries).toBe(1);
    isAway = false;
    const change = changeOf(2);
    notices.changed(change);
    await notices.close();
    expect(sent.flatMap(decodeNotices)).toEqual([change]);
  });
});
