import type { ApiParts } from '../api/api-parts.ts';
import { createAuthenticator } from '../operations/keys/authenticator.ts';
import { grantApiKey } from '../operations/keys/grant-api-key.ts';
import { createKeyUse } from '../operations/keys/key-use.ts';
import { listApiKeys } from '../operations/keys/list-api-keys.ts';
import { createRefusedKeys } from '../operations/keys/refused-keys.ts';
import { revokeApiKey } from '../operations/keys/revoke-api-key.ts';
import { rotateApiKey } from '../operations/keys/rotate-api-key.ts';
import { acceptTokens } from '../operations/tokens/accept-tokens.ts';
import { createAccessTokens } from '../operations/tokens/access-tokens.ts';
import { grantAccessToken } from '../operations/tokens/grant-access-token.ts';
import type { Foundation } from './foundation.ts';

type AccessParts = Pick<ApiParts, 'shards' | 'authenticate' | 'noteRefusedKey' | 'apiKeys' | 'createToken'>;

/** Wires who may call, and what callers can do with the keys and tokens of their project. Must be closed. */
export function accessParts({ config, db, clock, log }: Foundation): { parts: AccessParts; close(): Promise<void> } {
  const accessTokens = createAccessTokens({ secretKeys: config.KINORA_SECRET_KEYS, clock });
  const authenticator = acceptTokens({
    db,
    clock,
    accessTokens,
    authenticator: createAuthenticator({ db, clock, log }),
  });
  const keyUse = createKeyUse({ db, clock, log });
  const refusedKeys = createRefusedKeys({ db, clock, log });
  const parts: AccessParts = {
    shards: config.KINORA_SHARDS,
    authenticate: async (...request) => {
      const { caller, view: foundTask } = await authenticator.authenticate(...request);
      keyUse.note(caller.keyId);
      return { ...caller, foundTask };
    },
    noteRefusedKey: (...refused) => refusedKeys.note(...refused),
    apiKeys: {
      list: (caller, page) => listApiKeys({ db }, caller, page),
      create: (caller, key) => grantApiKey({ db, clock }, caller, key),
      rotate: (caller, keyId, overlapSeconds) => rotateApiKey({ db, clock }, { actor: caller, keyId, overlapSeconds }),
      revoke: async (caller, keyId) => {
        await revokeApiKey({ db, clock }, { keyId, actor: caller });
      },
    },
    createToken: (caller, token) => grantAccessToken({ db, clock, accessTokens }, caller, token),
  };
  const close = async (): Promise<void> => {
    await keyUse.close();
    await refusedKeys.close();
  };
  return { parts, close };
}
