import type { ApiParts } from '../api/api-parts.ts';
import { grantApiKey } from '../operations/keys/grant-api-key.ts';
import { listApiKeys } from '../operations/keys/list-api-keys.ts';
import { revokeApiKey } from '../operations/keys/revoke-api-key.ts';
import { rotateApiKey } from '../operations/keys/rotate-api-key.ts';
import type { Foundation } from './foundation.ts';

/** Wires what callers can do with the keys of their project. */
export function apiKeyParts({ db, clock }: Pick<Foundation, 'db' | 'clock'>): ApiParts['apiKeys'] {
  return {
    list: (caller, page) => listApiKeys({ db }, caller, page),
    create: (caller, key) => grantApiKey({ db, clock }, caller, key),
    rotate: (caller, keyId, overlapSeconds) => rotateApiKey({ db, clock }, { actor: caller, keyId, overlapSeconds }),
    revoke: async (caller, keyId) => {
      await revokeApiKey({ db, clock }, { keyId, actor: caller });
    },
  };
}
