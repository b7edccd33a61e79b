import { createHash } from 'node:crypto';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import type { Stack } from '@kinora/stack/parts/stack';

const readsAtOnce = 8;

/**
 * Returns every object of the bucket with the hash of the bytes that the store has now, without the trash of the sweep
 * and the marker that names the installation.
 */
export async function hashObjects(s3: Stack['info']['s3']): Promise<{ key: string; sha256: string }[]> {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    const keys = await listKeys(client, bucket);
    const hashed: { key: string; sha256: string }[] = [];
    await forEachConcurrently(readsAtOnce, keys, async (key) => {
      const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      const bytes = (await body?.transformToByteArray()) ?? new Uint8Array();
      hashed.push({ key, sha256: createHash('sha256').update(bytes).digest('hex') });
    });
    return hashed;
  } finally {
    client.destroy();
  }
}

async function listKeys(client: S3Client, bucket: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }));
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys.filter((key) => !/^(trash|\.kinora)\//.test(key));
}
