import type { Kysely } from 'kysely';
import { personId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** One-time links: for a person who sets a password, or, without a person, for the first operator. */
export function signInTokenTable(db: Kysely<Schema>) {
  return {
    async insert(token: { sha256: Buffer; personId: string | null; createdAt: Date; expiresAt: Date }): Promise<void> {
      await db
        .insertInto('sign_in_tokens')
        .values({
          sha256: token.sha256,
          person_id: token.personId && toUuid('person', token.personId),
          created_at: token.createdAt,
          expires_at: token.expiresAt,
        })
        .execute();
    },

    /** Returns a valid token: its person, or no person if it makes the first operator. */
    async find(sha256: Buffer, now: Date): Promise<{ personId: string | null } | null> {
      const token = await db
        .selectFrom('sign_in_tokens')
        .select('person_id')
        .where('sha256', '=', sha256)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return token ? { personId: token.person_id && personId(token.person_id) } : null;
    },

    /** Uses up a person's token, and the person's other ones with it. Returns the person, or null if it is not valid. */
    async takeOfPerson(sha256: Buffer, now: Date): Promise<string | null> {
      const token = await db
        .selectFrom('sign_in_tokens')
        .select('person_id')
        .where('sha256', '=', sha256)
        .where('person_id', 'is not', null)
        .where('expires_at', '>', now)
        .forUpdate()
        .executeTakeFirst();
      if (!token?.person_id) return null;
      await db.deleteFrom('sign_in_tokens').where('person_id', '=', token.person_id).execute();
      return personId(token.person_id);
    },

    /** Uses up the tokens that make the first operator; returns whether this one was valid. Of two at once, one is. */
    async takeFirstOperator(sha256: Buffer, now: Date): Promise<boolean> {
      const taken = await db
        .deleteFrom('sign_in_tokens')
        .where('person_id', 'is', null)
        .returning(['sha256', 'expires_at'])
        .execute();
      return taken.some((token) => token.sha256.equals(sha256) && token.expires_at > now);
    },

    /** Makes the tokens of a person, or those that make the first operator, invalid. */
    async deleteOf(person: string | null): Promise<void> {
      const tokens = db.deleteFrom('sign_in_tokens');
      const wanted =
        person === null
          ? tokens.where('person_id', 'is', null)
          : tokens.where('person_id', '=', toUuid('person', person));
      await wanted.execute();
    },

    /** Deletes at most `limit` expired tokens. Returns how many it deleted. */
    async deleteExpired(now: Date, limit: number): Promise<number> {
      const old = db.selectFrom('sign_in_tokens').select('sha256').where('expires_at', '<=', now).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('sign_in_tokens').where('sha256', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
