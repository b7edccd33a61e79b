import type { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../config.ts';

type Commands = typeof import('@aws-sdk/client-s3');

/** Requests to the store that only the doctor makes; the others go through `storage`. */
export interface BucketClient {
  send<T>(request: (client: S3Client, commands: Commands, bucket: string) => Promise<T>): Promise<T>;
  close(): void;
}

/** Creates a client of the bucket that gives up early. It is made when it is first used. */
export function createBucketClient(config: Config): BucketClient {
  let client: S3Client | null = null;
  return {
    async send(request) {
      const commands = await import('@aws-sdk/client-s3');
      client ??= create(commands, config);
      return request(client, commands, config.KINORA_S3_BUCKET);
    },
    close: () => client?.destroy(),
  };
}

function create({ S3Client }: Commands, config: Config): S3Client {
  const { KINORA_S3_ACCESS_KEY_ID: accessKeyId, KINORA_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return new S3Client({
    endpoint: config.KINORA_S3_ENDPOINT,
    region: config.KINORA_S3_REGION,
    forcePathStyle: config.KINORA_S3_FORCE_PATH_STYLE,
    ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
  });
}
