import type {
  ApiKey,
  CreateApiKey,
  DeletedApiKey,
  IssuedApiKey,
  ListApiKeysData,
  RotateApiKey,
} from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import { listPages, type PagePromise } from './list-pages.ts';
import type { ResponsePromise } from './response-promise.ts';

/** Manages the API keys of the project. Every call needs a key with the scope `keys:manage`. */
export interface ApiKeys {
  /** Lists the keys, newest first by default, without the secrets. */
  list(query?: NonNullable<ListApiKeysData['query']>, options?: RequestOptions): PagePromise<ApiKey>;
  /**
   * Creates a key that can do no more than the client's own, and for no longer; `keys:manage`, `webhooks:manage` and
   * `audit:read` must be named. Only this response contains its secret: store it now.
   */
  create(request: CreateApiKey, options?: RequestOptions): ResponsePromise<IssuedApiKey>;
  /** Creates a key that replaces an old one. The old key keeps working for `overlap_seconds`. */
  rotate(keyId: string, request?: RotateApiKey, options?: RequestOptions): ResponsePromise<IssuedApiKey>;
  /** Revokes a key at once: the client's own, or one without scopes that the client's own lacks. */
  revoke(keyId: string, options?: RequestOptions): ResponsePromise<DeletedApiKey>;
}

/** Creates the `apiKeys` part of a client. */
export function createApiKeys(http: Http): ApiKeys {
  const path = '/v1/api-keys';
  return {
    list: (query = {}, options = {}) => listPages<ApiKey>(http, path, query, options),
    create: (body, options) => http.json<IssuedApiKey>({ ...options, method: 'POST', path, body }),
    rotate: (keyId, body = {}, options) =>
      http.json<IssuedApiKey>({ ...options, method: 'POST', path: [path, keyId, 'rotate'], body }),
    revoke: (keyId, options) => http.json<DeletedApiKey>({ ...options, method: 'DELETE', path: [path, keyId] }),
  };
}
