import type { Readable } from 'node:stream';

interface StoredObject {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

/** An inclusive byte range, as HTTP means it. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where videos, thumbnails and input images live: any S3-compatible store. */
export interface Storage {
  /** Stores an object of a known size; an object under the same key is replaced. */
  put(key: string, body: Uint8Array, contentType: string): Promise<void>;
  /** Stores a file from disk. */
  putFile(key: string, path: string, contentType: string): Promise<void>;
  /** Stores a stream of unknown length, at most `maxBytes`; nothing is left behind when it fails. */
  putStream(key: string, body: Readable, options: { contentType: string; maxBytes: number }): Promise<number>;
  /** Size of an object, or null if it is not there. */
  head(key: string): Promise<{ sizeBytes: number } | null>;
  /** The bytes of an object, or of a part of it; null if it is not there. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Deletes what is there; what is not is no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** All objects under a prefix, page by page. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** The first-level folders: the days that have objects. */
  listFolders(): Promise<readonly string[]>;
  /** A signed address straight at the store's public endpoint, or null where the operator names none. */
  publicUrl(key: string, options: { expiresInSeconds: number; contentType: string }): Promise<string | null>;
  /** Throws when the store does not answer. */
  check(): Promise<void>;
}
