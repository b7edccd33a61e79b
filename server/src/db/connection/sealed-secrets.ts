import { type RawBuilder, sql } from 'kysely';

/** Secrets as they are stored: encrypted, bound to their row and column. */
export interface SealedSecrets {
  secret: Buffer;
  /** Signs in addition to `secret` until it expires. */
  previousSecret: Buffer | null;
  previousSecretExpiresAt: Date | null;
}

/** Selects rows with a secret in use that does not begin with this header, such as one that an older key sealed. */
export interface SealedOtherwise<After> {
  header: Buffer;
  at: Date;
  /** The last row of the previous page, or null for the first page. */
  after: After | null;
  limit: number;
}

export function isSealedOtherwise({ header, at }: { header: Buffer; at: Date }): RawBuilder<boolean> {
  const differs = (column: string) => sql`substring(${sql.ref(column)} for ${header.length}::int) <> ${header}`;
  return sql`(${differs('secret')} or (previous_secret_expires_at > ${at} and ${differs('previous_secret')}))`;
}

/** Matches a row only while it has these very secrets: another process may have replaced them since they were read. */
export function hasSecrets({ secret, previousSecret }: SealedSecrets): RawBuilder<boolean> {
  return sql`(secret = ${secret} and previous_secret is not distinct from ${previousSecret}::bytea)`;
}

export function toSecretColumns({ secret, previousSecret, previousSecretExpiresAt }: SealedSecrets) {
  return { secret, previous_secret: previousSecret, previous_secret_expires_at: previousSecretExpiresAt };
}
