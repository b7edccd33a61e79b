import { type Static, type TSchema, Type } from 'typebox';
import { nullable, objectKind, reference } from './schema-parts.ts';

export const defaultPageLimit = 20;

/** The parameters of every list. Paging is by cursor only, so that every page costs the same, wherever it is. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: defaultPageLimit,
      description: 'The maximum number of items to return.',
    }),
  ),
  after: Type.Optional(
    Type.String({ description: 'Return the items after this id: the `last_id` of the previous page.' }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      type: 'string',
      default: 'desc',
      description: '`desc` returns the newest items first, `asc` the oldest.',
    }),
  ),
};

/** Returns the schema of a page of items that have ids. */
export function listOf<Item extends TSchema & { $id?: string }>(item: Item, id: string, examples: unknown[] = []) {
  return Type.Object(
    {
      object: objectKind('list'),
      data: Type.Array(reference(item), { description: 'The items of this page.' }),
      first_id: nullable(
        Type.String({ description: 'The id of the first item of this page. Null if the page is empty.' }),
      ),
      last_id: nullable(
        Type.String({
          description:
            'Send this id as `after` to get the next page. It is the id of the last item; in a list of tasks with ' +
            '`has_more` true, it is that of the last task that was checked, even if the page is empty. Null if there ' +
            'are no items and `has_more` is false.',
        }),
      ),
      has_more: Type.Boolean({ description: 'Whether there are more items after this page.' }),
    },
    { $id: id, description: 'One page of a list.', ...(examples.length > 0 ? { examples } : {}) },
  );
}

export type Page<Item> = Omit<Static<ReturnType<typeof listOf>>, 'data'> & { data: Item[] };

/** Wraps the items of a page in its envelope. */
export function presentPage<Item extends { id: string }>(data: Item[], hasMore: boolean): Page<Item> {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore };
}
