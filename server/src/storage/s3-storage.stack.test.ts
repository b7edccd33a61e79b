import { describe, expect, it } from 'vitest';
import { createS3Storage } from './s3-storage.ts';
import { storageContract } from './storage.contract.ts';
import { createTestStorage } from './storage.fixture.ts';

storageContract('the S3 adapter', createTestStorage);

describe('an unreachable store', () => {
  const away = createS3Storage({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    bucket: 'away',
    accessKeyId: 'nobody',
    secretAccessKey: 'nothing',
    forcePathStyle: true,
    publicEndpoint: null,
  });

  it('makes every operation fail, and never looks like a missing object', async () => {
    await expect(away.check()).rejects.toBeInstanceOf(Error);
    await expect(away.head('a')).rejects.toBeInstanceOf(Error);
    await expect(away.read('a')).rejects.toBeInstanceOf(Error);
    await expect(away.put('a', Buffer.from('a'), 'image/png')).rejects.toBeInstanceOf(Error);
    await expect(away.delete(['a'])).rejects.toBeInstanceOf(Error);
  });
});
