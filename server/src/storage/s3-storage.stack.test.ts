import { describe, expect, it } from 'vitest';
import { storageContract } from './storage.contract.ts';
import { createTestStorage, unreachableStorage } from './storage.fixture.ts';

storageContract('the S3 adapter', createTestStorage);

describe('an unreachable store', () => {
  const unreachable = unreachableStorage();

  it('every operation on an unreachable store fails, and never reports a missing object', async () => {
    await expect(unreachable.check()).rejects.toBeInstanceOf(Error);
    await expect(unreachable.head('a')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.read('a')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.put('a', Buffer.from('a'), 'image/png')).rejects.toBeInstanceOf(Error);
    await expect(unreachable.delete(['a'])).rejects.toBeInstanceOf(Error);
  });
});
