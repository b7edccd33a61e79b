import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startTcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { expect, it } from 'vitest';
import { createTestStorage } from './storage.fixture.ts';

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

    await proxy.set('black-hole');
    // A read may wait 30 s for a response, on the connection that the small object came over. It has a second's start.
    let isReadOver = false;
    const slowRead = storage.read('0').finally(() => (isReadOver = true));
    slowRead.catch(() => undefined);
    await pause(1_000);
    // One began before the store is back, on a connection from the pool; it is repeated on a new one.
    const writing = storage.put('during', image, 'image/png');
    await proxy.vanish(); // new connections work, those from before never again
    await Promise.all([
      writing,
      storage.put('after', image, 'image/png'),
      storage.head('video'),
      expect(buffer(reading)).rejects.toThrow('the store fell silent'),
    ]);
    expect(isReadOver).toBe(false);
    expect(await direct.storage.head('during')).toEqual({ sizeBytes: image.length });
  } finally {
    storage.close();
    await proxy.close();
    await direct.drop();
  }
});
