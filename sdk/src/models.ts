import type { Model } from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import { listPages, type PagePromise } from './list-pages.ts';
import type { ResponsePromise } from './response-promise.ts';

/** The models of the service: what each can do, how fast it is, and whether it is available. */
export interface Models {
  /** Lists every model. */
  list(options?: RequestOptions): PagePromise<Model>;
  /** Returns one model, by its id or an alias. */
  get(modelId: string, options?: RequestOptions): ResponsePromise<Model>;
}

/** Creates the `models` part of a client. */
export function createModels(http: Http): Models {
  const path = '/v1/models';
  return {
    list: (options = {}) => listPages<Model>(http, path, {}, options),
    get: (modelId, options) => http.json<Model>({ ...options, method: 'GET', path: [path, modelId] }),
  };
}
