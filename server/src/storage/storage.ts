import type { Readable } from 'node:stream';

interface StoredObject {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

/** A multipart upload that was begun and neither completed nor aborted. Its parts take space, but no object shows them. */
export interface UnfinishedUpload {
  key: string;
  uploadId: string;
  begunAt: Date;
}

/** An inclusive byte range, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The store of videos, thumbnails and input images: any S3-compatible store. */
export interface Storage {
  /** Stores an object of a known size; an object under the same key is replaced. */
  put(key: string, body: Uint8Array, contentType: string): Promise<void>;
  /** Stores a file from disk. */
  putFile(key: string, path: string, contentType: string): Promise<void>;
  /** Stores a stream of at most `maxBytes` and returns its length; leaves nothing behind if it fails. */
  putStream(key: string, body: Readable, options: { contentType: string; maxBytes: number }): Promise<number>;
  /** Returns the size of an object, or null if it does not exist. */
  head(key: string): Promise<{ sizeBytes: number } | null>;
  /** Returns the bytes of an object or of a part of it, or null if it does not exist. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Deletes objects; a missing object is not an error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Copies an object inside the store. */
  copy(fromKey: string, toKey: string): Promise<void>;
  /** Returns all unfinished uploads, page by page. */
  listUnfinishedUploads(): AsyncIterable<UnfinishedUpload>;
  /** Deletes the parts of an unfinished upload; one that has ended is not an error. */
  abortUpload(upload: UnfinishedUpload): Promise<void>;
  /** Returns all objects under a prefix, page by page. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Returns the first-level folders, such as the days that have objects. */
  listFolders(): Promise<readonly string[]>;
  /** Returns a signed URL of the store's public endpoint, or null if the operator has configured none. */
  publicUrl(key: string, options: { expiresInSeconds: number; contentType: string }): Promise<string | null>;
  /** Throws if the bucket is missing or cannot be reached. */
  check(): Promise<void>;
}
