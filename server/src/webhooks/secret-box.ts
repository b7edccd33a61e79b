import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** Where a sealed secret is stored. It opens nowhere else: a copy in another row or column is worthless. */
export interface SecretPlace {
  table: string;
  id: string;
  column: string;
}

export interface SecretBox {
  /** Encrypts a secret for one column of one row. */
  seal(secret: string, place: SecretPlace): Buffer;
  /** Decrypts a secret; throws if it was sealed for another place, or with a key that is no longer configured. */
  open(sealed: Buffer, place: SecretPlace): string;
}

/** Encrypts secrets that must be readable later, with AES-256-GCM. The first key encrypts, and all keys decrypt. */
export function createSecretBox(secretKeys: readonly string[]): SecretBox {
  const keys = secretKeys.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'kinora stored secrets', 32)));
  const [sealingKey] = keys;
  if (!sealingKey) throw new TypeError('there is no secret key to encrypt with');
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(bindingOf(place));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Uint8Array.of(version), nonce, sealed, cipher.getAuthTag()]);
    },
    open(sealed, place) {
      for (const key of keys) {
        const secret = tryOpen(key, sealed, place);
        if (secret !== null) return secret;
      }
      throw new Error('a stored secret cannot be decrypted: KINORA_SECRET_KEYS lacks its key, or it was moved');
    },
  };
}

function tryOpen(key: Buffer, sealed: Buffer, place: SecretPlace): string | null {
  if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes) return null;
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(bindingOf(place))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null; // another key, or another place
  }
}

function bindingOf({ table, id, column }: SecretPlace): Buffer {
  // JSON keeps the parts apart, so that no two places have the same text.
  return Buffer.from(JSON.stringify([table, id, column]));
}
