import type { ApiKey } from '../../db/access/api-key-table.ts';
import type { Database } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';

interface Page {
  after: string | null;
  limit: number;
  order: 'asc' | 'desc';
}

/** Returns one page of the keys of the caller's project and mode, including those that no longer work. */
export async function listApiKeys(
  { db }: { db: Pick<Database, 'apiKeys'> },
  caller: Caller,
  page: Page,
): Promise<{ keys: ApiKey[]; hasMore: boolean }> {
  const isCursor =
    page.after === null || (uuidFromId('key', page.after) !== null && (await db.apiKeys.isOf(caller, page.after)));
  if (!isCursor) {
    const message = 'after must be the id of an API key of this project; use last_id of the previous page';
    throw new AppError('invalid_parameter', {
      message,
      param: 'after',
      details: [{ param: 'after', code: 'not_found', message }],
    });
  }
  // One row beyond the limit shows whether there are more.
  const found = await db.apiKeys.page(caller, { ...page, limit: page.limit + 1 });
  return { keys: found.slice(0, page.limit), hasMore: found.length > page.limit };
}
