import type { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../config/config.ts';
import { createS3Client } from '../../storage/s3-client.ts';
import { readS3Access } from '../../wiring/read-s3-access.ts';

/** Requests to the store that only the doctor makes; the others go through `storage`. */
export interface BucketClient {
  client: S3Client;
  bucket: string;
}

/** Creates a client of the bucket that gives up early. */
export function createBucketClient(config: Config): BucketClient {
  const client = createS3Client(readS3Access(config), {
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 4_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  });
  return { client, bucket: config.KINORA_S3_BUCKET };
}
