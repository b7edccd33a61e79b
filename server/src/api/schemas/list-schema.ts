import { type Static, type TSchema, Type } from 'typebox';
import { nullable, reference } from './schema-parts.ts';

export const defaultPageLimit = 20;

/** The parameters of every list. Paging is by cursor only, so that every page costs the same, wherever it is. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: defaultPageLimit,
      description: 'How many to answer with at most.',
    }),
  ),
  after: Type.Optional(Type.String({ description: 'Go on after this id: `last_id` of the page before.' })),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { type: 'string', default: 'desc', description: '`desc`: newest first.' }),
  ),
};

/** Returns the schema of a page of items that have ids. */
export function listOf<Item extends TSchema & { $id?: string }>(item: Item, id: string, examples: unknown[] = []) {
  return Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(reference(item)),
      first_id: nullable(Type.String({ description: 'The id of the first one here.' })),
      last_id: nullable(Type.String({ description: 'The id of the last one here: the cursor of the next page.' })),
      has_more: Type.Boolean({ description: 'Whether there are more behind the last one.' }),
    },
    { $id: id, description: 'One page of a list.', ...(examples.length > 0 ? { examples } : {}) },
  );
}

export type Page<Item> = Omit<Static<ReturnType<typeof listOf>>, 'data'> & { data: Item[] };

/** Wraps the items of a page in its envelope. */
export function presentPage<Item extends { id: string }>(data: Item[], hasMore: boolean): Page<Item> {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore };
}
