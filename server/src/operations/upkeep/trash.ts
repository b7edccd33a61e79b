import type { Storage } from '../../storage/storage.ts';

/** Long enough to notice over a weekend and a holiday that the wrong objects were swept. */
const trashDays = 7;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const prefix = 'trash/';
const copiesAtOnce = 16;
const keysPerDelete = 1000;

/** An object in the trash: `trash/2026-11-15/<original key>`. */
export interface TrashedObject {
  key: string;
  originalKey: string;
  /** The UTC day on which it was swept. */
  day: string;
}

/** Moves objects to the trash of the given day. A crash on the way leaves an object in both places. */
export async function moveToTrash(storage: Storage, keys: readonly string[], now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  await move(
    storage,
    keys.map((key) => ({ from: key, to: `${prefix}${day}/${key}` })),
  );
}

/** Returns what is in the trash, oldest day first. */
export async function* listTrash(storage: Storage): AsyncGenerator<TrashedObject> {
  for await (const { key } of storage.list(prefix)) {
    const [, day, originalKey] = /^trash\/(\d{4}-\d{2}-\d{2})\/(.+)$/.exec(key) ?? [];
    if (day !== undefined && originalKey !== undefined) yield { key, originalKey, day };
  }
}

/** Returns the keys of the objects that have been in the trash for at least seven days. */
export async function findExpiredTrash(storage: Storage, now: Date): Promise<string[]> {
  const lastDay = new Date(now.getTime() - (trashDays + 1) * dayMilliseconds).toISOString().slice(0, 10);
  const keys: string[] = [];
  for await (const { key, day } of listTrash(storage)) {
    if (day > lastDay) break;
    keys.push(key);
  }
  return keys;
}

/** Moves objects whose original keys start with the text back to where they were, and returns their original keys. */
export async function restoreFromTrash(storage: Storage, originalPrefix: string): Promise<string[]> {
  const found: TrashedObject[] = [];
  for await (const object of listTrash(storage)) {
    if (object.originalKey.startsWith(originalPrefix)) found.push(object);
  }
  await move(
    storage,
    found.map(({ key, originalKey }) => ({ from: key, to: originalKey })),
  );
  return found.map(({ originalKey }) => originalKey);
}

async function move(storage: Storage, moves: readonly { from: string; to: string }[]): Promise<void> {
  for (let start = 0; start < moves.length; start += keysPerDelete) {
    const batch = moves.slice(start, start + keysPerDelete);
    for (let first = 0; first < batch.length; first += copiesAtOnce)
      await Promise.all(batch.slice(first, first + copiesAtOnce).map(({ from, to }) => storage.copy(from, to)));
    await storage.delete(batch.map(({ from }) => from));
  }
}
