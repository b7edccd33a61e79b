import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from './storage.ts';

export interface StorageUnderTest {
  /** An empty store that callers cannot reach directly. */
  storage: Storage;
  /** The same store for callers who can reach it directly. */
  publicStorage: Storage;
  unfinishedUploads(): Promise<number>;
  /** Begins an upload in several parts and leaves it unfinished, as a process does that is killed. */
  beginUpload(key: string): Promise<void>;
  drop(): Promise<void>;
}

const megabyte = 1024 * 1024;

/** Declares the tests of the guarantees that every store gives. */
export function storageContract(name: string, setup: () => Promise<StorageUnderTest>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let under: StorageUnderTest;
    let storage: Storage;
    let folder: string;
    beforeAll(async () => {
      under = await setup();
      storage = under.storage;
      folder = await mkdtemp(join(tmpdir(), 'storage-contract-'));
    });
    afterAll(async () => {
      await under?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const read = async (key: string, range?: { start: number; end: number }) => {
      const body = await storage.read(key, range);
      return body && (await buffer(body));
    };
    const keysUnder = async (prefix: string) => {
      const keys = [];
      for await (const { key } of storage.list(prefix)) keys.push(key);
      return keys;
    };

    it('the store returns what was stored, whole and in part', async () => {
      const bytes = randomBytes(10_000);
      await storage.put('a/whole', bytes, 'image/png');
      expect(await read('a/whole')).toEqual(bytes);
      expect(await read('a/whole', { start: 0, end: 0 })).toEqual(bytes.subarray(0, 1));
      expect(await read('a/whole', { start: 100, end: 199 })).toEqual(bytes.subarray(100, 200));
      expect(await read('a/whole', { start: 9_990, end: 9_999 })).toEqual(bytes.subarray(9_990));
      expect(await storage.head('a/whole')).toEqual({ sizeBytes: 10_000 });
    });

    it('the store replaces an object under the same key', async () => {
      await storage.put('a/replaced', Buffer.from('first'), 'image/png');
      await storage.put('a/replaced', Buffer.from('second'), 'image/png');
      expect(String(await read('a/replaced'))).toBe('second');
    });

    it('the store returns null for a missing object, and deletes it without an error', async () => {
      expect(await storage.head('a/missing')).toBeNull();
      expect(await storage.read('a/missing')).toBeNull();
      await storage.delete(['a/missing', 'b/missing/too']);
      await storage.delete([]);
    });

    it('the store copies an object', async () => {
      await storage.put('c/from with space', Buffer.from('copied'), 'image/png');
      await storage.copy('c/from with space', 'c/to/here');
      expect(String(await read('c/to/here'))).toBe('copied');
      expect(String(await read('c/from with space'))).toBe('copied');
    });

    it('the store lists unfinished uploads and aborts them', async () => {
      await under.beginUpload('u/unfinished');
      const uploads = [];
      for await (const upload of storage.listUnfinishedUploads()) uploads.push(upload);
      expect(uploads).toMatchObject([{ key: 'u/unfinished', begunAt: expect.any(Date) }]);
      for (const upload of [...uploads, ...uploads]) await storage.abortUpload(upload);
      expect(await under.unfinishedUploads()).toBe(0);
    });

    it('the store deletes the given objects and nothing else', async () => {
      for (const key of ['d/one', 'd/two', 'd/three']) await storage.put(key, Buffer.from(key), 'image/png');
      await storage.delete(['d/one', 'd/missing', 'd/three']);
      expect(await keysUnder('d/')).toEqual(['d/two']);
    });

    it('a file from disk is stored, even if it takes several parts', async () => {
      const bytes = randomBytes(6 * megabyte);
      const path = join(folder, 'file');
      await writeFile(path, bytes);
      await storage.putFile('f/file', path, 'video/mp4');
      expect((await read('f/file'))?.equals(bytes)).toBe(true);
    });

    it('a stream of unknown length is stored, and its length is returned', async () => {
      for (const size of [0, 1, 5 * megabyte, 11 * megabyte + 1]) {
        const bytes = randomBytes(size);
        const stream = Readable.from(inChunks(bytes));
        expect(await storage.putStream('s/stream', stream, { contentType: 'video/mp4', maxBytes: size })).toBe(size);
        expect((await read('s/stream'))?.equals(bytes)).toBe(true);
      }
      expect(await under.unfinishedUploads()).toBe(0);
    });

    it('the store leaves nothing behind of a stream that is longer than its maximum, and destroys the stream', async () => {
      for (const size of [megabyte, 12 * megabyte]) {
        const stream = Readable.from(inChunks(randomBytes(size)));
        const putting = storage.putStream('s/long', stream, { contentType: 'video/mp4', maxBytes: size - 1 });
        await expect(putting).rejects.toBeInstanceOf(Error);
        expect(await storage.head('s/long')).toBeNull();
        expect(stream.destroyed).toBe(true);
      }
      expect(await under.unfinishedUploads()).toBe(0);
    });

    it('the store leaves nothing behind of a stream that breaks', async () => {
      for (const size of [megabyte, 12 * megabyte]) {
        const stream = Readable.from(breaking(randomBytes(size)));
        const putting = storage.putStream('s/broken', stream, { contentType: 'video/mp4', maxBytes: 100 * megabyte });
        await expect(putting).rejects.toBeInstanceOf(Error);
        expect(await storage.head('s/broken')).toBeNull();
      }
      expect(await under.unfinishedUploads()).toBe(0);
    });

    it('the store lists everything under a prefix in the order of the keys, page by page, and the first-level folders', async () => {
      // More than one page of a store that returns a thousand keys per page.
      const keys = Array.from({ length: 1_001 }, (_, index) => `2026-01-01/task-${String(index).padStart(4, '0')}/x`);
      const queue = [...keys];
      const putAll = async () => {
        for (let key = queue.pop(); key !== undefined; key = queue.pop())
          await storage.put(key, Buffer.from('x'), 'image/png');
      };
      await Promise.all(Array.from({ length: 20 }, putAll));
      const before = Math.floor(Date.now() / 1000) * 1000; // stores keep whole seconds
      await storage.put('2026-01-02/other', Buffer.from('y'), 'image/png');
      expect(await keysUnder('2026-01-01/')).toEqual(keys);
      expect(await keysUnder('2026-01-01/task-0007')).toEqual(['2026-01-01/task-0007/x']);
      const folders = await storage.listFolders();
      expect(folders.filter((name) => name.startsWith('2026-'))).toEqual(['2026-01-01', '2026-01-02']);
      for await (const object of storage.list('2026-01-02/')) {
        expect(object).toMatchObject({ key: '2026-01-02/other', sizeBytes: 1 });
        expect(object.modifiedAt.getTime()).toBeGreaterThanOrEqual(before);
        expect(object.modifiedAt.getTime()).toBeLessThanOrEqual(Date.now());
      }
      await storage.delete([...keys, '2026-01-02/other']);
      expect(await keysUnder('2026-')).toEqual([]);
    });

    it('the store returns no public URL unless callers can reach the store', async () => {
      expect(await storage.publicUrl('a/whole', { expiresInSeconds: 60, contentType: 'video/mp4' })).toBeNull();
    });

    it('the store signs a URL that needs no header, supports ranges, and is valid for that object only', async () => {
      await storage.put('p/video', Buffer.from('0123456789'), 'application/octet-stream');
      await storage.put('p/other', Buffer.from('secret'), 'application/octet-stream');
      const options = { expiresInSeconds: 60, contentType: 'video/mp4' };
      const url = (await under.publicStorage.publicUrl('p/video', options)) ?? '';
      const whole = await fetch(url);
      expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
        200,
        'video/mp4',
        '0123456789',
      ]);
      const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);

      const tampered = [
        url.replace('p/video', 'p/other'),
        url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=9999'),
        url.replace(/X-Amz-Signature=./, (found) => `X-Amz-Signature=${found.endsWith('0') ? '1' : '0'}`),
        url.split('?')[0] ?? '',
      ];
      for (const address of tampered) {
        const response = await fetch(address);
        expect(response.status).toBe(403);
        expect(await response.text()).not.toContain('secret');
      }
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    });

    it('the store passes its own health check', async () => {
      await expect(storage.check()).resolves.toBeUndefined();
    });
  });
}

function* inChunks(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 64 * 1024) yield bytes.subarray(start, start + 64 * 1024);
}

function* breaking(bytes: Buffer): Generator<Buffer> {
  yield* inChunks(bytes);
  throw new Error('the engine died');
}
