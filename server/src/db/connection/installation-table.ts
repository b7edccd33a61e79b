import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The id of this installation, which its bucket holds as well. */
export function installationTable(db: Kysely<Schema>) {
  return {
    async id(): Promise<string> {
      const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
      return id;
    },
  };
}
