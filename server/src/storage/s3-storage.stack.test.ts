import { describe, expect, it } from 'vitest';
import { createS3Storage } from './s3-storage.ts';
import { storageContract } from './storage.contract.ts';
import { createTestStorage } from './storage.fixture.ts';

storageContract('the S3 adapter', createTestStorage);

describe('an unreachable store', () => {
  const unreachable = createS3Storage({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    bucket: 'unreachable',
    accessKeyId: 'nobody',
    secretAccessKey: 'nothing',
    forcePathStyle: true,
    publicEndpoint: null,
  });

  it('every operation on an unreachable store fails, and never reports a missing object', async () => {
    await expect(unreachable.check()).rejects.toBeInstanceOf(Error);
    await expect(unreachable.head('a')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.read('a')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.put('a', Buffer.from('a'), 'image/png')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.delete(['a'])).rejects.toBeInstanceOf(Error);
  });
});
