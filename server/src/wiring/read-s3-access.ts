import type { Config } from '../config/config.ts';
import type { S3Access } from '../storage/s3-client.ts';

/** Returns how the settings say that the store is reached. */
export function readS3Access(config: Config): S3Access {
  return {
    endpoint: config.KINORA_S3_ENDPOINT,
    region: config.KINORA_S3_REGION,
    accessKeyId: config.KINORA_S3_ACCESS_KEY_ID,
    secretAccessKey: config.KINORA_S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.KINORA_S3_FORCE_PATH_STYLE,
  };
}
