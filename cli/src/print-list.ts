import type { Context } from './context.ts';

/** Prints a list: as one table, or with `--json` each item as soon as it arrives. */
export async function printList<Item>(
  { isJson, print, columns }: Context,
  items: AsyncIterable<Item>,
  { render, limit }: { render: (items: readonly Item[], columns: number) => string; limit?: number },
): Promise<void> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (isJson) print('', item);
    if (found.length === limit) break;
  }
  if (!isJson) print(render(found, columns), found);
}
