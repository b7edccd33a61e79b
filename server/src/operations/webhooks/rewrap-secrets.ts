import type { SealedSecrets } from '../../db/connection/sealed-secrets.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretBox } from '../../webhooks/secret-box.ts';
import {
  makeSecret,
  rowOfCallbacks,
  rowOfEndpoint,
  type SecretRow,
  type SecretTools,
  sealSecrets,
  secretsInUse,
} from './webhook-secrets.ts';

interface Parts {
  db: Pick<Database, 'webhookEndpoints' | 'callbackSecrets'>;
  box: SecretBox;
  clock: Clock;
}

/** 50 rows are read at once and then written one by one, so that no transaction is long. */
const batchRows = 50;

export interface SecretReview {
  /** How many rows a key that is not the first one opens. */
  underOtherKeys: number;
  /** The rows that no key opens. */
  unreadable: SecretRow[];
}

/** Counts the rows whose secrets were not sealed with the first key. Cheap if there are none. */
export async function reviewSecrets(parts: Parts): Promise<SecretReview> {
  const review: SecretReview = { underOtherKeys: 0, unreadable: [] };
  for await (const { row, sealed } of rowsSealedOtherwise(parts)) {
    if (secretsInUse(parts.box, row, sealed, parts.clock.now())) review.underOtherKeys += 1;
    else review.unreadable.push(row);
  }
  return review;
}

interface Rewrapped {
  resealed: number;
  /** Rows that got new secrets, because no key opened theirs. */
  replaced: SecretRow[];
  /** Rows that stay as they are, because no key opens them. */
  unreadable: SecretRow[];
}

/**
 * Seals every stored secret with the first key, row by row, while the service runs. It may be interrupted and repeated
 * at any point. With `replaceLost`, rows that no key opens get new secrets, which their owners do not know yet.
 */
export async function rewrapSecrets(
  parts: Parts & SecretTools,
  { replaceLost }: { replaceLost: boolean },
): Promise<Rewrapped> {
  const result: Rewrapped = { resealed: 0, replaced: [], unreadable: [] };
  for (let isComplete = false; !isComplete; ) {
    isComplete = true;
    result.unreadable = [];
    for await (const { row, sealed, reseal } of rowsSealedOtherwise(parts)) {
      const same = resealed(parts, row, sealed);
      const next = same ?? (replaceLost ? replacement(parts, row, sealed) : null);
      if (next === null) result.unreadable.push(row);
      // The owner rotated the secrets since they were read: another pass sees whether the first key sealed the new ones.
      else if (!(await reseal(next))) isComplete = false;
      else if (same) result.resealed += 1;
      else result.replaced.push(row);
    }
  }
  return result;
}

/** Returns the secrets of a row under the first key; null if no key opens them. */
function resealed({ box, clock }: Parts, row: SecretRow, sealed: SealedSecrets): SealedSecrets | null {
  const secrets = secretsInUse(box, row, sealed, clock.now());
  return secrets && sealSecrets(box, row, secrets, sealed.previousSecretExpiresAt);
}

/** Gives up the previous secret if only that one is lost, and both otherwise. */
function replacement(parts: Parts & SecretTools, row: SecretRow, sealed: SealedSecrets): SealedSecrets {
  return resealed(parts, row, { ...sealed, previousSecret: null }) ?? makeSecret(parts, row).sealed;
}

/** Yields every row with a secret in use that the first key has not sealed. */
async function* rowsSealedOtherwise({ db, box, clock }: Parts) {
  const { webhookEndpoints, callbackSecrets } = db;
  const query = { header: box.header, at: clock.now(), limit: batchRows };
  const endpoints = inBatches<{ id: string; sealed: SealedSecrets }>((after) =>
    webhookEndpoints.sealedOtherwise({ ...query, after }),
  );
  for await (const { id, sealed } of endpoints)
    yield {
      row: rowOfEndpoint(id),
      sealed,
      reseal: (to: SealedSecrets) => webhookEndpoints.reseal(id, sealed, to),
    };
  const callbacks = inBatches<Awaited<ReturnType<typeof callbackSecrets.sealedOtherwise>>[number]>((after) =>
    callbackSecrets.sealedOtherwise({ ...query, after }),
  );
  for await (const { owner, sealed } of callbacks)
    yield {
      row: rowOfCallbacks(owner),
      sealed,
      reseal: (to: SealedSecrets) => callbackSecrets.reseal(owner, sealed, to),
    };
}

async function* inBatches<Row>(read: (after: Row | null) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let last: Row | null = null; ; ) {
    const rows: Row[] = await read(last);
    yield* rows;
    if (rows.length < batchRows) return;
    last = rows.at(-1) ?? null;
  }
}
