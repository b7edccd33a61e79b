import type { ApiKey } from '../../db/access/api-key-table.ts';
import type { Database } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import { badCursor } from '../bad-cursor.ts';

/** Returns one page of the keys of the caller's project and mode, including those that no longer work. */
export async function listApiKeys(
  { db }: { db: Pick<Database, 'apiKeys'> },
  caller: Caller,
  page: ListPage,
): Promise<{ keys: ApiKey[]; hasMore: boolean }> {
  const isCursor =
    page.after === null || (uuidFromId('key', page.after) !== null && (await db.apiKeys.isOf(caller, page.after)));
  if (!isCursor) throw badCursor('an API key of this project');
  // One row beyond the limit shows whether there are more.
  const found = await db.apiKeys.page(caller, { ...page, limit: page.limit + 1 });
  return { keys: found.slice(0, page.limit), hasMore: found.length > page.limit };
}
