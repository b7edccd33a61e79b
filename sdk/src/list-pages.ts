import { KinoraError } from './errors.ts';
import type { Http, HttpRequest, RequestOptions } from './http.ts';
import { type ResponsePromise, responsePromise } from './response-promise.ts';

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  /** Whether there is another page after this one. */
  hasMore: boolean;
  /** Fetches the next page. Throws a KinoraError if there is none. */
  nextPage(): Promise<Page<Item>>;
}

/** A list: `await` returns its first page, and `for await` iterates over every item and fetches pages as needed. */
export interface PagePromise<Item> extends ResponsePromise<Page<Item>>, AsyncIterable<Item> {}

interface ListBody<Item> {
  data: Item[];
  last_id: string | null;
  has_more: boolean;
}

/** Fetches the first page of a list, in the order of the query. */
export function listPages<Item>(
  http: Http,
  path: string,
  query: NonNullable<HttpRequest['query']>,
  options: RequestOptions,
): PagePromise<Item> {
  const pageOf = ({ data, last_id: lastId, has_more: hasMore }: ListBody<Item>): Page<Item> => ({
    data,
    hasMore: hasMore && lastId !== null,
    async nextPage() {
      if (!hasMore || lastId === null) throw new KinoraError('This is the last page. Check hasMore before nextPage.');
      return listPages<Item>(http, path, { ...query, after: lastId }, options);
    },
  });
  const received = http.json<ListBody<Item>>({ ...options, method: 'GET', path, query }).withResponse();
  const first = responsePromise(received.then(({ data, response }) => ({ data: pageOf(data), response })));
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ; page = await page.nextPage()) {
        yield* page.data;
        if (!page.hasMore) return;
      }
    },
  });
}
