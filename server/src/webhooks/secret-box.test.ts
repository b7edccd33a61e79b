import { describe, expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const [oldKey, newKey] = ['an-old-key-of-at-least-32-characters', 'a-new-key-of-at-least-32-characters!'];
const place = { table: 'webhook_endpoints', id: 'whk_1', column: 'secret' };
const secret = 'whsec_c2VjcmV0';
const sealedWithoutKeyId = 'AcH8B0mfjWyQdWG1VS3annDzKBWmCyZEAGYEV7Mu7OBb/5lwdjhGND9XUw==';

describe('a sealed secret', () => {
  it('opens at the place that it was sealed for, and sealing twice never gives the same bytes', () => {
    const box = createSecretBox([oldKey]);
    const [one, other] = [box.seal(secret, place), box.seal(secret, place)];
    expect(box.open(one, place)).toBe(secret);
    expect(one.equals(other)).toBe(false);
    expect(one.toString('latin1')).not.toContain('whsec_');
  });

  it.each([
    ['row', { ...place, id: 'whk_2' }],
    ['column', { ...place, column: 'previous_secret' }],
    ['table', { ...place, table: 'callback_secrets' }],
  ])('does not open in another %s', (_, elsewhere) => {
    const box = createSecretBox([oldKey]);
    expect(box.open(box.seal(secret, place), elsewhere)).toBeNull();
  });

  it('does not open if a single bit of it was changed', () => {
    const box = createSecretBox([oldKey]);
    const sealed = box.seal(secret, place);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed[index] ?? 0) ^ 1, index);
      expect(box.open(changed, place)).toBeNull();
    }
    expect(box.open(Buffer.alloc(0), place)).toBeNull();
  });

  it('begins with the header of its box, which is the same for the same first key only', () => {
    const [box, rotated] = [createSecretBox([oldKey]), createSecretBox([newKey, oldKey])];
    expect(box.seal(secret, place).subarray(0, box.header.length)).toEqual(box.header);
    expect(createSecretBox([oldKey, newKey]).header).toEqual(box.header);
    expect(rotated.header).not.toEqual(box.header);
  });

  it('opens with any configured key if it was sealed before seals had the id of their key', () => {
    // Sealed with `oldKey` by a version that wrote no key ids.
    const sealed = Buffer.from(sealedWithoutKeyId, 'base64');
    expect(createSecretBox([newKey, oldKey]).open(sealed, place)).toBe(secret);
    expect(createSecretBox([newKey]).open(sealed, place)).toBeNull();
    expect(createSecretBox([oldKey]).open(sealed, { ...place, id: 'whk_2' })).toBeNull();
  });

  it('still opens after a new key is put in front, and no longer after its own key is removed', () => {
    const sealed = createSecretBox([oldKey]).seal(secret, place);
    const rotated = createSecretBox([newKey, oldKey]);
    expect(rotated.open(sealed, place)).toBe(secret);
    const resealed = rotated.seal(secret, place);
    expect(createSecretBox([newKey]).open(resealed, place)).toBe(secret);
    expect(createSecretBox([newKey]).open(sealed, place)).toBeNull();
  });
});
