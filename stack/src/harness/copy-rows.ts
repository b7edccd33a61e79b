import type { Client } from 'pg';

interface Copies {
  table: string;
  /** The table that gets the copies, by default the same one: a partition that is filled before it is attached. */
  into?: string;
  /** A condition that selects the row to copy. */
  template: string;
  /** The FROM items that multiply the row; `template` is the row itself. */
  source: string;
  /** SQL expressions for the columns that differ from the template. */
  changes: Record<string, string>;
}

/** Copies a row that the service has written, so that copies have every column, also those of later migrations. */
export async function copyRows(database: Client, copies: Copies): Promise<void> {
  const { table, into = table, template, source, changes } = copies;
  const { rows } = await database.query<{ name: string }>(
    'select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position',
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const unknown = Object.keys(changes).filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw new Error(`the table ${table} has no column ${unknown.join(', ')}`);
  await database.query(
    `insert into ${into} (${columns.join(', ')})
     select ${columns.map((name) => changes[name] ?? `template.${name}`).join(', ')}
     from (select * from ${table} where ${template}) template, ${source}`,
  );
}
