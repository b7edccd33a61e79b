import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { random } from '../domain/random.ts';

/** Version 1 had no key id: it is still opened, with whichever key fits, but nothing is sealed like that any more. */
const versionWithoutKeyId = 1;
const version = 2;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** Where a sealed secret is stored. It opens nowhere else: a copy in another row or column is worthless. */
export interface SecretPlace {
  table: string;
  id: string;
  column: string;
}

export interface SecretBox {
  /** The first bytes of every secret that `seal` returns, the version and the id of the first key, and of no other. */
  header: Buffer;
  /** Encrypts a secret for one column of one row. */
  seal(secret: string, place: SecretPlace): Buffer;
  /** Decrypts a secret. Returns null if it was sealed for another place, or with a key that is no longer configured. */
  open(sealed: Buffer, place: SecretPlace): string | null;
}

interface SealingKey {
  key: Buffer;
  /** The version and the key's id, which says nothing about the key. */
  header: Buffer;
}

/** Encrypts secrets that must be readable later, with AES-256-GCM. The first key encrypts, and all keys decrypt. */
export function createSecretBox(secretKeys: readonly string[]): SecretBox {
  const keys = secretKeys.map(deriveKey);
  const [first] = keys;
  if (!first) throw new TypeError('there is no secret key to encrypt with');
  return {
    header: first.header,
    seal(secret, place) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(bindingOf(place));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([first.header, nonce, sealed, cipher.getAuthTag()]);
    },
    open(sealed, place) {
      for (const { key, header } of keys) {
        const headerBytes = sealed[0] === versionWithoutKeyId ? 1 : header.length;
        if (headerBytes > 1 && !sealed.subarray(0, headerBytes).equals(header)) continue;
        const secret = tryOpen(key, sealed.subarray(headerBytes), place);
        if (secret !== null) return secret;
      }
      return null;
    },
  };
}

function deriveKey(secret: string): SealingKey {
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes));
  return {
    key: derive('kinora stored secrets', 32),
    header: Buffer.concat([Uint8Array.of(version), derive('kinora key id', keyIdBytes)]),
  };
}

/** Decrypts what follows the header: a nonce, the encrypted secret and its tag. */
function tryOpen(key: Buffer, sealed: Buffer, place: SecretPlace): string | null {
  if (sealed.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(bindingOf(place))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return null; // another key, or another place
  }
}

function bindingOf({ table, id, column }: SecretPlace): Buffer {
  // JSON keeps the parts apart, so that no two places have the same text.
  return Buffer.from(JSON.stringify([table, id, column]));
}
