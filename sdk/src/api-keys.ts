import { everyItem } from './every-item.ts';
import type { ApiKey, CreateApiKey, DeletedApiKey, IssuedApiKey, RotateApiKey } from './generated/types.ts';
import type { Http } from './http.ts';

/** Manages the API keys of the project. Every call needs a key with the scope `keys:manage`. */
export interface ApiKeys {
  /** Iterates over every key, newest first, without the secrets. Fetches the next page when it is needed. */
  list(): AsyncIterable<ApiKey>;
  /**
   * Creates a key that can do no more than the client's own, and for no longer; `keys:manage`, `webhooks:manage` and
   * `audit:read` must be named. Only this response contains its secret: store it now.
   */
  create(request: CreateApiKey): Promise<IssuedApiKey>;
  /** Creates a key that replaces an old one. The old key keeps working for `overlap_seconds`. */
  rotate(keyId: string, request?: RotateApiKey): Promise<IssuedApiKey>;
  /** Revokes a key at once: the client's own, or one without scopes that the client's own lacks. */
  revoke(keyId: string): Promise<DeletedApiKey>;
}

/** Creates the `apiKeys` part of a client. */
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
