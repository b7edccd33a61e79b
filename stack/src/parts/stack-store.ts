import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './stack-part.ts';
import { toolPath } from './stack-state.ts';

interface StoreOptions {
  port: number;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Returns the part for an S3 server that stores objects in a plain folder, with one bucket. */
export function storePart(folder: string, options: StoreOptions): Part {
  const { port, region, bucket, accessKeyId, secretAccessKey } = options;
  const data = join(folder, 's3');
  return {
    name: 's3',
    ports: [port],
    stopSignal: 'SIGTERM',
    prepare: async () => void mkdirSync(data, { recursive: true }),
    program: () => ({
      command: toolPath('versitygw'),
      arguments: ['--port', `127.0.0.1:${port}`, '--region', region, '--keep-alive', '--quiet', 'posix', data],
      // Passed in the environment, because any user of the machine can read the arguments of a process.
      environment: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    }),
    async checkUsable() {
      // Imported here, while the server starts, because the client takes longer to load than the server to start.
      const { CreateBucketCommand, HeadBucketCommand, NotFound, S3Client } = await import('@aws-sdk/client-s3');
      const client = new S3Client({
        endpoint: `http://127.0.0.1:${port}`,
        region,
        forcePathStyle: true,
        credentials: { accessKeyId, secretAccessKey },
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        maxAttempts: 1,
      });
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket })).catch(async (error: unknown) => {
          if (!(error instanceof NotFound)) throw error;
          await client.send(new CreateBucketCommand({ Bucket: bucket }));
        });
      } finally {
        client.destroy();
      }
    },
  };
}
