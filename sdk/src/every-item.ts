import type { Http, HttpRequest } from './http.ts';

interface Page<Item> {
  data: Item[];
  last_id: string | null;
  has_more: boolean;
}

/** Iterates over every item of a list, in the order of the query. Fetches the next page when it is needed. */
export async function* everyItem<Item>(
  http: Http,
  path: string,
  query: NonNullable<HttpRequest['query']>,
  signal?: AbortSignal,
): AsyncGenerator<Item> {
  let after = query['after'];
  for (;;) {
    const page: Page<Item> = await http.json<Page<Item>>({ method: 'GET', path, query: { ...query, after }, signal });
    yield* page.data;
    if (!page.has_more || page.last_id === null) return;
    after = page.last_id;
  }
}
