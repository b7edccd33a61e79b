import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPace } from './watch-pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a connection is too slow only in an interval that brings less than the least', () => {
  const socket = { bytesRead: 5_000 };
  const onTooSlow = vi.fn();
  const stop = watchPace(socket as Socket, { leastBytes: 1_000, everyMilliseconds: 3_000 }, onTooSlow);
  for (let interval = 0; interval < 10; interval += 1) {
    socket.bytesRead += 1_000;
    vi.advanceTimersByTime(3_000);
  }
  expect(onTooSlow).not.toHaveBeenCalled();
  socket.bytesRead += 999;
  vi.advanceTimersByTime(3_000);
  expect(onTooSlow).toHaveBeenCalledOnce();
  stop();
  vi.advanceTimersByTime(60_000);
  expect(onTooSlow).toHaveBeenCalledOnce();
});
