import { describe, expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const [oldKey, newKey] = ['an-old-key-of-at-least-32-characters', 'a-new-key-of-at-least-32-characters!'];
const place = { table: 'webhook_endpoints', id: 'whk_1', column: 'secret' };
const secret = 'whsec_c2VjcmV0';

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
    expect(() => box.open(box.seal(secret, place), elsewhere)).toThrow('cannot be decrypted');
  });

  it('does not open if a single bit of it was changed', () => {
    const box = createSecretBox([oldKey]);
    const sealed = box.seal(secret, place);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed[index] ?? 0) ^ 1, index);
      expect(() => box.open(changed, place)).toThrow('cannot be decrypted');
    }
    expect(() => box.open(Buffer.alloc(0), place)).toThrow('cannot be decrypted');
  });

  it('still opens after a new key is put in front, and no longer after its own key is removed', () => {
    const sealed = createSecretBox([oldKey]).seal(secret, place);
    const rotated = createSecretBox([newKey, oldKey]);
    expect(rotated.open(sealed, place)).toBe(secret);
    const resealed = rotated.seal(secret, place);
    expect(createSecretBox([newKey]).open(resealed, place)).toBe(secret);
    expect(() => createSecretBox([newKey]).open(sealed, place)).toThrow('KINORA_SECRET_KEYS');
  });
});
