import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { startTcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { expect, it } from 'vitest';
import { createTestStorage } from './storage.fixture.ts';

/** Well above the 13 s after which a silent connection is given up, and below the 30 s of a request without an end. */
const giveUpMilliseconds = 25_000;

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
    const reading = await storage.read('video');
    if (!reading) throw new Error('the store has no video');
    await once(reading, 'readable');

    await proxy.set('black-hole');
    // One began before the store is back, on a connection from the pool; it is repeated on a new one.
    const writing = storage.put('during', image, 'image/png');
    await proxy.vanish(); // new connections work, those from before never again
    const before = performance.now();
    await Promise.all([
      writing,
      storage.put('after', image, 'image/png'),
      storage.head('video'),
      expect(buffer(reading)).rejects.toThrow('the store fell silent'),
    ]);
    expect(performance.now() - before).toBeLessThan(giveUpMilliseconds);
    expect(await direct.storage.head('during')).toEqual({ sizeBytes: image.length });
  } finally {
    storage.close();
    await proxy.close();
    await direct.drop();
  }
}, 120_000);
