import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** How a store is reached. */
export interface S3Access {
  endpoint: string;
  region: string;
  /** Null, as the secret key, for the default credential chain of the SDK. */
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

/** Creates a client that any S3-compatible store understands. It connects when it is first used. */
export function createS3Client(
  { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: S3Access,
  limits: Pick<S3ClientConfig, 'maxAttempts' | 'requestHandler'>,
): S3Client {
  return new S3Client({
    endpoint,
    region,
    forcePathStyle,
    ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    // Not every store knows the newer checksums; TLS and our own sha256 guard the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...limits,
  });
}
