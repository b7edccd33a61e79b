import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { uuidFromId } from '../../domain/id.ts';

/** One attempt at one task. */
export interface AttemptName {
  taskId: string;
  attempt: number;
}

export interface EngineCallbackTokens {
  /** Returns the token that an engine must present to report on an attempt's job. */
  sign(name: AttemptName): string;
  /** Returns the attempt that a token was signed for; null if we did not sign it. */
  verify(token: string): AttemptName | null;
}

/** Keys are derived for this purpose. The first secret signs and all verify, so one can be replaced while jobs run. */
export function createEngineCallbackTokens(secretKeys: readonly string[]): EngineCallbackTokens {
  // Key objects, because Node takes six times as long to compute an HMAC with the bytes of a key.
  const keys = secretKeys.map((secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'kinora engine callbacks', 32))),
  );
  const [signingKey] = keys;
  if (!signingKey) throw new TypeError('there is no secret key to sign engine callback tokens with');
  return {
    sign({ taskId, attempt }) {
      const name = `${taskId}.${attempt}`;
      return `${name}.${signatureOf(signingKey, name).toString('base64url')}`;
    },
    verify(token) {
      const parts = /^((task_[0-9a-z]{26})\.([1-9]\d{0,5}))\.([\w-]{43})$/.exec(token);
      if (!parts) return null;
      const [, name = '', taskId = '', attempt = '', signature = ''] = parts;
      const given = Buffer.from(signature, 'base64url');
      // Accept only the spelling that `sign` writes: base64 has several for the same bytes.
      if (given.length !== 32 || given.toString('base64url') !== signature) return null;
      const isSigned = keys.map((key) => timingSafeEqual(signatureOf(key, name), given)).includes(true);
      return isSigned && uuidFromId('task', taskId) !== null ? { taskId, attempt: Number(attempt) } : null;
    },
  };
}

function signatureOf(key: KeyObject, name: string): Buffer {
  return createHmac('sha256', key).update(name).digest();
}
