import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmptyPostgres } from './empty-postgres.fixture.ts';

/** Lets a minute pass for all timers. */
async function passMinute(): Promise<void> {
  for (let second = 0; second < 60; second += 1) await vi.advanceTimersByTimeAsync(1_000);
}

test('a quiet pool keeps four connections for as long as its process runs, and closes the others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await using postgres = await startEmptyPostgres();
  const db = postgres.connect({ poolSize: 6 });
  const queryAtOnce = (count: number) => Promise.all(Array.from({ length: count }, () => db.check()));
  await queryAtOnce(4);
  expect(postgres.connections()).toBe(4);
  await passMinute();
  await queryAtOnce(4);
  expect(postgres.connections()).toBe(4);
  await queryAtOnce(6);
  expect(postgres.connections()).toBe(6);
  await passMinute();
  await queryAtOnce(6);
  expect(postgres.connections()).toBe(8);
});
