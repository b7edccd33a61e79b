import type { Kysely } from 'kysely';
import type { Person } from '../../domain/person.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { toPerson } from './people-table.ts';

/** How identity providers name people. */
export function personIdentityTable(db: Kysely<Schema>) {
  return {
    /** Returns whom a provider means by a subject; null if it is new. */
    async findPerson({ issuer, subject }: { issuer: string; subject: string }): Promise<Person | null> {
      const row = await db
        .selectFrom('person_identities')
        .innerJoin('people', 'people.id', 'person_identities.person_id')
        .selectAll('people')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    async hasAny(person: string): Promise<boolean> {
      const row = await db
        .selectFrom('person_identities')
        .select('person_id')
        .where('person_id', '=', toUuid('person', person))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async insert({ issuer, subject, personId }: { issuer: string; subject: string; personId: string }): Promise<void> {
      await db
        .insertInto('person_identities')
        .values({ issuer, subject, person_id: toUuid('person', personId) })
        .execute();
    },
  };
}
