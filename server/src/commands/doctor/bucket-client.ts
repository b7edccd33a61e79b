import { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../config.ts';

/** Requests to the store that only the doctor makes; the others go through `storage`. */
export interface BucketClient {
  client: S3Client;
  bucket: string;
}

/** Creates a client of the bucket that gives up early. It connects when it is first used. */
export function createBucketClient(config: Config): BucketClient {
  const { KINORA_S3_ACCESS_KEY_ID: accessKeyId, KINORA_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const client = new S3Client({
    endpoint: config.KINORA_S3_ENDPOINT,
    region: config.KINORA_S3_REGION,
    forcePathStyle: config.KINORA_S3_FORCE_PATH_STYLE,
    ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 4_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  });
  return { client, bucket: config.KINORA_S3_BUCKET };
}
