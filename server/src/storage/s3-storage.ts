import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { destroyIfSilent } from './destroy-if-silent.ts';
import { createS3Client, type S3Access } from './s3-client.ts';
import { createS3RequestHandler, silenceMilliseconds } from './s3-request-handler.ts';
import type { Storage } from './storage.ts';

interface S3Options extends S3Access {
  bucket: string;
  /** The endpoint at which callers reach the store, for which URLs are signed; null if they may not reach it. */
  publicEndpoint: string | null;
  /** How many objects may be read at once; further reads wait. */
  readLimit?: number;
}

/** 5 MB, as long as the shortest part of an upload may be. */
const smallFileBytes = 5 * 1024 * 1024;

/** Connects to any S3-compatible store. */
export function createS3Storage(options: S3Options): Storage & { close(): void } {
  const clientFor = (endpoint: string) =>
    createS3Client(
      { ...options, endpoint },
      { maxAttempts: 2, requestHandler: createS3RequestHandler(options.readLimit) },
    );
  const client = clientFor(options.endpoint);
  const publicClient = options.publicEndpoint === null ? null : clientFor(options.publicEndpoint);
  const Bucket = options.bucket;

  return {
    async put(key, body, contentType) {
      await client.send(new PutObjectCommand({ Bucket, Key: key, Body: body, ContentType: contentType }));
    },

    async putFile(key, path, contentType) {
      const { size } = await stat(path);
      // One request for a buffer costs less than an upload that could have parts.
      if (size <= smallFileBytes) return this.put(key, await readFile(path), contentType);
      const upload = new Upload({
        client,
        params: { Bucket, Key: key, Body: createReadStream(path), ContentType: contentType, ContentLength: size },
      });
      await upload.done();
    },

    async putStream(key, body, { contentType, maxBytes }) {
      let sizeBytes = 0;
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes) done(new Error('the stream is longer than its maximum'));
          else done(null, chunk);
        },
      });
      const upload = new Upload({
        client,
        params: { Bucket, Key: key, Body: pipeline(body, counted, () => undefined), ContentType: contentType },
      });
      try {
        await upload.done();
      } finally {
        counted.destroy(); // this destroys `body` too: its sender must not wait for a reader that has stopped
      }
      return sizeBytes;
    },

    async head(key) {
      try {
        const response = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
        return { sizeBytes: response.ContentLength ?? 0 };
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },

    async read(key, range) {
      try {
        const Range = range ? `bytes=${range.start}-${range.end}` : undefined;
        const response = await client.send(new GetObjectCommand({ Bucket, Key: key, Range }));
        if (!(response.Body instanceof IncomingMessage)) throw new Error('the store responded without a body');
        destroyIfSilent(response.Body, silenceMilliseconds);
        return response.Body;
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },

    async delete(keys) {
      for (let start = 0; start < keys.length; start += 1000) {
        const Objects = keys.slice(start, start + 1000).map((Key) => ({ Key }));
        const response = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
        // The response is 200 even if nothing could be deleted.
        const [failed] = response.Errors ?? [];
        if (failed) throw new Error(`the store did not delete an object: ${failed.Code}`);
      }
    },

    async copy(fromKey, toKey) {
      await client.send(new CopyObjectCommand({ Bucket, Key: toKey, CopySource: encodeURI(`${Bucket}/${fromKey}`) }));
    },

    async *listUnfinishedUploads() {
      let marker: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined;
      do {
        const page = await client.send(new ListMultipartUploadsCommand({ Bucket, ...marker }));
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (Key !== undefined && UploadId !== undefined)
            yield { key: Key, uploadId: UploadId, begunAt: Initiated ?? new Date() };
        }
        marker = page.IsTruncated
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
      } while (marker !== undefined);
    },

    async abortUpload({ key, uploadId }) {
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: uploadId }));
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
      }
    },

    async *list(prefix) {
      let token: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token }));
        for (const { Key, Size, LastModified } of page.Contents ?? []) {
          if (Key !== undefined) yield { key: Key, sizeBytes: Size ?? 0, modifiedAt: LastModified ?? new Date() };
        }
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },

    async listFolders() {
      const folders: string[] = [];
      let token: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', ContinuationToken: token }));
        for (const { Prefix } of page.CommonPrefixes ?? []) if (Prefix) folders.push(Prefix.slice(0, -1));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return folders;
    },

    async publicUrl(key, { expiresInSeconds, contentType }) {
      if (!publicClient) return null;
      const command = new GetObjectCommand({ Bucket, Key: key, ResponseContentType: contentType });
      return getSignedUrl(publicClient, command, { expiresIn: expiresInSeconds });
    },

    async check() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },

    close() {
      client.destroy();
      publicClient?.destroy();
    },
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey');
}
