import type { CreateToken, Token } from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import type { ResponsePromise } from './response-promise.ts';

/** Makes short-lived tokens for web pages. Every key may; a token may not. */
export interface Tokens {
  /**
   * Creates a token that can do no more than the client's key, for at most ten minutes, and with `task_id` only for one
   * task. Give it to a page, which passes it to its own client as `token`.
   */
  create(request?: CreateToken, options?: RequestOptions): ResponsePromise<Token>;
}

/** Creates the `tokens` part of a client. */
export function createTokens(http: Http): Tokens {
  return {
    create: (body = {}, options) =>
      http.json<Token>({ ...options, method: 'POST', path: '/v1/tokens', body, isRepeatable: true }),
  };
}
