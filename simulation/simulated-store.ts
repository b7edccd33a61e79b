import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Storage } from '../server/src/storage/storage.ts';
import type { Process, Turns } from './scheduler.ts';

/** The objects of a world. */
export class SimulatedStore {
  readonly objects = new Map<string, { bytes: Buffer; modifiedAt: Date }>();
  readonly #turns: Turns;
  isUp = true;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Returns the store as one process sees it. */
  storageFor(process: Process): Storage {
    const { objects } = this;
    const call = <T>(name: string, effect: () => T): Promise<T> =>
      this.#turns.call(process, `store ${name}`, () => {
        if (!this.isUp) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return effect();
      });
    const set = (key: string, bytes: Buffer): void => {
      objects.set(key, { bytes, modifiedAt: new Date(this.#turns.milliseconds) });
      this.#turns.changes += 1;
    };
    return {
      put: (key, body) => call(`put ${key}`, () => set(key, Buffer.from(body))),
      async putFile(key, path) {
        const bytes = await readFile(path);
        await call(`put ${key}`, () => set(key, bytes));
      },
      async putStream(key, body) {
        const bytes = await buffer(body);
        await call(`put ${key}`, () => set(key, bytes));
        return bytes.length;
      },
      head: (key) =>
        call(`head ${key}`, () => {
          const object = objects.get(key);
          return object ? { sizeBytes: object.bytes.length } : null;
        }),
      read: (key, range) =>
        call(`read ${key}`, () => {
          const bytes = objects.get(key)?.bytes;
          if (!bytes) return null;
          return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
        }),
      delete: (keys) =>
        call(`delete ${keys.join(' ')}`, () => {
          for (const key of keys) if (objects.delete(key)) this.#turns.changes += 1;
        }),
      copy: (from, to) =>
        call(`copy ${from} ${to}`, () => {
          const bytes = objects.get(from)?.bytes;
          if (!bytes) throw new Error(`no object ${from}`);
          set(to, bytes);
        }),
      async *list(prefix) {
        const found = await call(`list ${prefix}`, () => [...objects].filter(([key]) => key.startsWith(prefix)));
        const listed = found.map(([key, { bytes, modifiedAt }]) => ({ key, sizeBytes: bytes.length, modifiedAt }));
        yield* listed.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
      listFolders: () =>
        call('list folders', () => [...new Set([...objects.keys()].map((key) => key.split('/')[0] ?? ''))].sort()),
      async *listUnfinishedUploads() {},
      abortUpload: async () => undefined,
      publicUrl: async () => null,
      check: () => call('check', () => undefined),
    };
  }
}
