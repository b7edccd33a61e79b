import { type Kysely, type Selectable, sql } from 'kysely';
import type { Person } from '../domain/person.ts';
import { personId, toUuid } from './ids.ts';
import type { PersonRow, Schema } from './schema.ts';

export function peopleTable(db: Kysely<Schema>) {
  return {
    /** Inserts a person. Returns false if the e-mail address is taken. */
    async insert(person: Person, passwordHash: string | null): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('people')
        .values({
          id: toUuid('person', person.id),
          email: person.email,
          name: person.name,
          password_hash: passwordHash,
          is_operator: person.isOperator,
          created_at: person.createdAt,
          last_signed_in_at: person.lastSignedInAt,
          disabled_at: person.disabledAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    async find(id: string): Promise<Person | null> {
      const row = await db.selectFrom('people').selectAll().where('id', '=', toUuid('person', id)).executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** Returns a person and the hash of their password by the e-mail address, whatever its case. */
    async findByEmail(email: string): Promise<{ person: Person; passwordHash: string | null } | null> {
      const row = await db
        .selectFrom('people')
        .selectAll()
        .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
        .executeTakeFirst();
      return row ? { person: toPerson(row), passwordHash: row.password_hash } : null;
    },

    async findPasswordHash(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('people')
        .select('password_hash')
        .where('id', '=', toUuid('person', id))
        .executeTakeFirst();
      return row?.password_hash ?? null;
    },

    /** Returns whether somebody can run the installation in the console. */
    async hasOperator(): Promise<boolean> {
      const row = await db
        .selectFrom('people')
        .select('id')
        .where('is_operator', '=', true)
        .where('disabled_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async setPassword(id: string, passwordHash: string): Promise<void> {
      await db
        .updateTable('people')
        .set({ password_hash: passwordHash })
        .where('id', '=', toUuid('person', id))
        .execute();
    },

    async noteSignIn(id: string, at: Date): Promise<void> {
      await db.updateTable('people').set({ last_signed_in_at: at }).where('id', '=', toUuid('person', id)).execute();
    },
  };
}

export function toPerson(row: Omit<Selectable<PersonRow>, 'password_hash'>): Person {
  return {
    id: personId(row.id),
    email: row.email,
    name: row.name,
    isOperator: row.is_operator,
    createdAt: row.created_at,
    lastSignedInAt: row.last_signed_in_at,
    disabledAt: row.disabled_at,
  };
}
