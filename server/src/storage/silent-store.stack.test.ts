import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { startTcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestStorage } from './storage.fixture.ts';

/** Makes limits of this length never pass: what waits for the 30 s, instead of noticing silence, hangs then. */
function stopLimits(milliseconds: number) {
  const start = globalThis.setTimeout;
  let stopped = 0;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, delay, ...rest) => {
    if (delay !== milliseconds) return start(run, delay, ...rest);
    stopped += 1;
    return start(() => undefined, 0);
  });
  onTestFinished(() => spy.mockRestore());
  return { stopped: () => stopped };
}

it('a store that fell silent with all its connections is used again as soon as it is back', async () => {
  const direct = await createTestStorage();
  const proxy = await startTcpProxy({ port: direct.port });
  const storage = direct.connect(proxy.port);
  const video = Buffer.alloc(8_000_000, 1);
  // The SDK sends larger objects over new connections.
  const image = Buffer.alloc(100_000, 1);
  try {
    await storage.put('video', video, 'video/mp4');
    await Promise.all(Array.from({ length: 10 }, (_, index) => storage.put(`${index}`, image, 'image/png')));
    const [reading, small] = await Promise.all([storage.read('video'), storage.read('0')]);
    if (!reading || !small) throw new Error('the store has no such object');
    await Promise.all([once(reading, 'readable'), buffer(small)]);

    const limits = stopLimits(30_000);
    await proxy.set('black-hole');
    // One began before the store is back, on a connection from the pool; it is repeated on a new one.
    const writing = storage.put('during', image, 'image/png');
    await proxy.vanish(); // new connections work, those from before never again
    await Promise.all([
      writing,
      storage.put('after', image, 'image/png'),
      storage.head('video'),
      expect(buffer(reading)).rejects.toThrow('the store fell silent'),
    ]);
    expect(limits.stopped()).toBeGreaterThan(0);
    expect(await direct.storage.head('during')).toEqual({ sizeBytes: image.length });
  } finally {
    storage.close();
    await proxy.close();
    await direct.drop();
  }
});
