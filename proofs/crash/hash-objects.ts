import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import type { Stack } from '@kinora/stack/parts/stack';
import { listKeys, withStore } from '../list-keys.ts';

const readsAtOnce = 8;

/** Returns every object of the bucket with the hash of the bytes that the store has now. */
export function hashObjects(s3: Stack['info']['s3']): Promise<{ key: string; sha256: string }[]> {
  return withStore(s3, async (client) => {
    const hashed: { key: string; sha256: string }[] = [];
    await forEachConcurrently(readsAtOnce, await listKeys(client, s3.bucket), async (key) => {
      const { Body: body } = await client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: key }));
      const bytes = (await body?.transformToByteArray()) ?? new Uint8Array();
      hashed.push({ key, sha256: createHash('sha256').update(bytes).digest('hex') });
    });
    return hashed;
  });
}
