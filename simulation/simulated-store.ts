import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Storage } from '../server/src/storage/storage.ts';
import type { Process, Turns } from './scheduler.ts';

/** The objects of a world. */
export class SimulatedStore {
  readonly objects = new Map<string, Buffer>();
  readonly #turns: Turns;
  isUp = true;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Returns the store as one process sees it. */
  storageFor(process: Process): Storage {
    const { objects } = this;
    const modifiedAt = new Date(this.#turns.milliseconds);
    const call = <T>(name: string, effect: () => T): Promise<T> =>
      this.#turns.call(process, `store ${name}`, () => {
        if (!this.isUp) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return effect();
      });
    const set = (key: string, bytes: Buffer): void => {
      objects.set(key, bytes);
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
          const bytes = objects.get(key);
          return bytes ? { sizeBytes: bytes.length } : null;
        }),
      read: (key, range) =>
        call(`read ${key}`, () => {
          const bytes = objects.get(key);
          if (!bytes) return null;
          return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
        }),
      delete: (keys) =>
        call(`delete ${keys.join(' ')}`, () => {
          for (const key of keys) if (objects.delete(key)) this.#turns.changes += 1;
        }),
      copy: (from, to) =>
        call(`copy ${from} ${to}`, () => {
          const bytes = objects.get(from);
          if (!bytes) throw new Error(`no object ${from}`);
          set(to, bytes);
        }),
      async *list(prefix) {
        const keys = await call(`list ${prefix}`, () => [...objects.keys()].filter((key) => key.startsWith(prefix)));
        for (const key of keys.sort()) yield { key, sizeBytes: objects.get(key)?.length ?? 0, modifiedAt };
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
