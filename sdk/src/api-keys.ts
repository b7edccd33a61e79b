import { everyItem } from './every-item.ts';
import type { ApiKey, CreateApiKey, DeletedApiKey, IssuedApiKey, RotateApiKey } from './generated/types.ts';
import type { Http } from './http.ts';

/** The keys of the project; needs a key with the scope `keys:manage`. */
export interface ApiKeys {
  /** Every key, newest first, without its secret part. */
  list(): AsyncIterable<ApiKey>;
  /** Makes a key. Its secret is in the answer, and never shown again. */
  create(request: CreateApiKey): Promise<IssuedApiKey>;
  /** Makes a new key in the place of an old one, which goes on for as long as the overlap says. */
  rotate(keyId: string, request?: RotateApiKey): Promise<IssuedApiKey>;
  /** Ends a key at once. */
  revoke(keyId: string): Promise<DeletedApiKey>;
}

/** The part of a client that is about keys. */
export function createApiKeys(http: Http): ApiKeys {
  const path = '/v1/api-keys';
  const pathOf = (keyId: string, rest = '') => `${path}/${encodeURIComponent(keyId)}${rest}`;
  return {
    list: () => everyItem<ApiKey>(http, path, {}),
    create: (body) => http.json<IssuedApiKey>({ method: 'POST', path, body }),
    rotate: (keyId, body = {}) => http.json<IssuedApiKey>({ method: 'POST', path: pathOf(keyId, '/rotate'), body }),
    revoke: (keyId) => http.json<DeletedApiKey>({ method: 'DELETE', path: pathOf(keyId) }),
  };
}
