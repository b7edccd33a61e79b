import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { Stack } from '@kinora/stack/parts/stack';

/** Calls `work` with a client of the stack's store and closes it afterwards. */
export async function withStore<T>(
  { endpoint, region, accessKeyId, secretAccessKey }: Stack['info']['s3'],
  work: (client: S3Client) => Promise<T>,
): Promise<T> {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

/** Returns the keys of all objects but the trash of the sweep and the marker that names the installation. */
export async function listKeys(client: S3Client, bucket: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }));
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys.filter((key) => !/^(trash|\.kinora)\//.test(key));
}
