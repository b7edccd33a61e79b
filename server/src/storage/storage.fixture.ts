import { randomBytes } from 'node:crypto';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { forAllTests, forEachTest } from '@kinora/stack/harness/for-all-tests';
import { inject } from 'vitest';
import { createS3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';

export interface TestStorage {
  storage: Storage;
  bucket: string;
  /** The port of the store on loopback. */
  port: number;
  /** Connects to the same bucket through another port on loopback. */
  connect(port: number): Storage & { close(): void };
  /** The same bucket for callers who reach the store at its own address. */
  publicStorage: Storage;
  /** Returns the keys below a prefix, in order. */
  keys(prefix?: string): Promise<string[]>;
  /** Counts uploads that were begun and neither completed nor aborted. */
  unfinishedUploads(): Promise<number>;
  /** Begins an upload in several parts and leaves it unfinished, as a process does that is killed. */
  beginUpload(key: string): Promise<void>;
  drop(): Promise<void>;
}

/** Creates a bucket in the stack's store, so that tests never see each other's objects. */
export async function createTestStorage(): Promise<TestStorage> {
  const endpoint = setting('KINORA_S3_ENDPOINT');
  const region = setting('KINORA_S3_REGION');
  const accessKeyId = setting('KINORA_S3_ACCESS_KEY_ID');
  const secretAccessKey = setting('KINORA_S3_SECRET_ACCESS_KEY');
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  const operator = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await operator.send(new CreateBucketCommand({ Bucket: bucket }));
  const options = { endpoint, region, bucket, accessKeyId, secretAccessKey, forcePathStyle: true };
  const storage = createS3Storage({ ...options, publicEndpoint: null });
  const publicStorage = createS3Storage({ ...options, publicEndpoint: endpoint });
  const keys = async (prefix = ''): Promise<string[]> => {
    const found = [];
    for await (const { key } of storage.list(prefix)) found.push(key);
    return found.sort();
  };
  return {
    storage,
    bucket,
    port: Number(new URL(endpoint).port),
    connect: (port) => createS3Storage({ ...options, endpoint: `http://127.0.0.1:${port}`, publicEndpoint: null }),
    publicStorage,
    keys,
    unfinishedUploads: async () => {
      const response = await operator.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return response.Uploads?.length ?? 0;
    },
    beginUpload: async (key) => {
      const { UploadId } = await operator.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
      const part = { Bucket: bucket, Key: key, UploadId, PartNumber: 1, Body: Buffer.from('part') };
      await operator.send(new UploadPartCommand(part));
    },
    drop: async () => {
      await storage.delete(await keys());
      await operator.send(new DeleteBucketCommand({ Bucket: bucket }));
      storage.close();
      publicStorage.close();
      operator.destroy();
    },
  };
}

/** Creates a bucket before the tests of a file and deletes it after them. */
export function useTestStorage(): TestStorage {
  return forAllTests(createTestStorage, (store) => store.drop());
}

/** Creates a bucket before each test and deletes it after the test. */
export function useTestStoragePerTest(): TestStorage {
  return forEachTest(createTestStorage, (store) => store.drop());
}

/** Returns the storage of a store that does not respond; by default nothing listens at its address. */
export function unreachableStorage(endpoint = 'http://127.0.0.1:1'): ReturnType<typeof createS3Storage> {
  return createS3Storage({
    endpoint,
    region: 'us-east-1',
    bucket: 'unreachable',
    accessKeyId: 'nobody',
    secretAccessKey: 'nothing',
    forcePathStyle: true,
    publicEndpoint: null,
  });
}

function setting(name: string): string {
  const value = inject('stackEnvironment')[name];
  if (value === undefined) throw new Error(`the stack does not set ${name}`);
  return value;
}
