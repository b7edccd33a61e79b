import { setTimeout as pause } from 'node:timers/promises';
import { readSchemaState } from '../db/connection/schema-state.ts';
import type { Parts } from './parts.ts';

/** Why a part that the settings name cannot be used, in words for the operator. No field repeats a secret. */
export interface PartProblem {
  part: 'postgres' | 'temporal' | 'store';
  /** The settings that are probably wrong. */
  settings: readonly string[];
  reason: string;
  remedy: string;
}

type Explanation = Pick<PartProblem, 'reason' | 'remedy'> & { settings?: readonly string[] };

/** 5 s: longer than the time limits of Postgres' and Temporal's clients. The store's client would wait for a minute. */
const checkMilliseconds = 5_000;
/** A process that is still loading may miss the time limit of its first call. */
const secondTryMilliseconds = 2_000;

/** Logs once why a part cannot be used; it may only be down for now. `isClosing`: a failure has another reason. */
export async function logPartProblems(
  uses: Omit<Parts, 'clock'>,
  parts: readonly PartProblem['part'][],
  isClosing: () => boolean,
): Promise<void> {
  const { db, workflows, storage, log } = uses;
  const finders = {
    postgres: async () =>
      (await findProblem(() => db.check(), explainPostgres, isClosing)) ?? (isClosing() ? null : schemaProblem(uses)),
    temporal: () => findProblem(() => workflows.check(), explainTemporal, isClosing),
    store: () => findProblem(() => storage.check(), explainStore, isClosing),
  };
  const found = await Promise.all(parts.map((part) => finders[part]()));
  for (const problem of found)
    if (problem && !isClosing()) log.warn({ event: 'part.unusable', ...problem }, 'part cannot be used');
}

/** Returns why a call to a part fails, or does not end in time, twice in a row; null if it succeeds. */
async function findProblem(
  call: () => Promise<unknown>,
  explain: (error: unknown) => PartProblem,
  isClosing: () => boolean,
): Promise<PartProblem | null> {
  if (!(await within(call(), explain))) return null;
  await pause(secondTryMilliseconds, null, { ref: false });
  // A call after the end would open a connection that nothing closes.
  return isClosing() ? null : within(call(), explain);
}

/** Returns why a call fails, or does not end within 5 s; null if it succeeds. */
export async function within(
  call: Promise<unknown>,
  explain: (error: unknown) => PartProblem,
): Promise<PartProblem | null> {
  const result = call.then(() => null, explain);
  const late = new Error(`it did not respond within ${checkMilliseconds / 1000} s`);
  return Promise.race([result, pause(checkMilliseconds, null, { ref: false }).then(() => explain(late))]);
}

/** Returns what is wrong with the schema of the database; null if all migrations of this program were applied. */
async function schemaProblem({ db }: Pick<Parts, 'db'>): Promise<PartProblem | null> {
  const schema = await readSchemaState(db.kysely).catch(() => null);
  if (!schema || schema.missing.length === 0) return null;
  return { part: 'postgres', settings: ['KINORA_DATABASE_URL'], ...explainMissing(schema.missing) };
}

/** Says that migrations are missing, and what to do. */
export function explainMissing(missing: readonly string[]): Pick<PartProblem, 'reason' | 'remedy'> {
  const count = `${missing.length} migration${missing.length === 1 ? '' : 's'}`;
  return {
    reason: `The database lacks ${count}, the first of them ${missing[0]}.`,
    remedy: 'Run `kinora-server migrate`. If it has been run, KINORA_DATABASE_URL names another database.',
  };
}

/** Says why Postgres cannot be used. */
export function explainPostgres(error: unknown): PartProblem {
  const known = explanationsOfPostgres[codeOf(error)];
  return { part: 'postgres', settings: ['KINORA_DATABASE_URL'], ...(known ?? unknownReason('Postgres', error)) };
}

const explanationsOfPostgres: Readonly<Record<string, Explanation>> = {
  '3D000': {
    reason: 'Postgres has no database of this name.',
    remedy: 'Create it with a role that owns it (`createdb`), or correct the name at the end of KINORA_DATABASE_URL.',
  },
  '28P01': { reason: 'Postgres refuses the password.', remedy: 'Correct the password in KINORA_DATABASE_URL.' },
  '28000': {
    reason: 'Postgres refuses this user.',
    remedy: 'Correct the user in KINORA_DATABASE_URL, or allow the user and this address in pg_hba.conf.',
  },
  '53300': {
    reason: 'Postgres has no connection left.',
    remedy: 'Raise max_connections, or the limit of the role or the database, or lower KINORA_DATABASE_POOL_SIZE.',
  },
  '25006': {
    reason: 'This Postgres server is read-only: it is a standby, or no longer the primary.',
    remedy: 'Let KINORA_DATABASE_URL lead to the primary.',
  },
};

/** Says why Temporal cannot be used. */
export function explainTemporal(error: unknown): PartProblem {
  const settings = ['KINORA_TEMPORAL_ADDRESS', 'KINORA_TEMPORAL_NAMESPACE'];
  const known = explanationsOfTemporal[codeOf(error)];
  return { part: 'temporal', settings, ...(known ?? unknownReason('Temporal', error)) };
}

/** By the codes of gRPC: not found, permission denied, unauthenticated. */
const explanationsOfTemporal: Readonly<Record<string, Explanation>> = {
  5: {
    settings: ['KINORA_TEMPORAL_NAMESPACE'],
    reason: 'Temporal has no namespace of this name.',
    remedy: 'Run `kinora-server namespace ensure`, or correct KINORA_TEMPORAL_NAMESPACE.',
  },
  7: {
    settings: ['KINORA_TEMPORAL_API_KEY', 'KINORA_TEMPORAL_NAMESPACE'],
    reason: 'Temporal does not allow these credentials to use the namespace.',
    remedy: 'Grant read, write and worker permissions on the namespace, or correct the credentials.',
  },
  16: {
    settings: ['KINORA_TEMPORAL_API_KEY', 'KINORA_TEMPORAL_TLS_CERT_FILE'],
    reason: 'Temporal refuses the credentials.',
    remedy: 'Correct KINORA_TEMPORAL_API_KEY or the client certificate.',
  },
};

/** Says why the store cannot be used. */
export function explainStore(error: unknown): PartProblem {
  const known = explanationsOfStore[statusOf(error)];
  const settings = ['KINORA_S3_ENDPOINT'];
  return { part: 'store', settings, ...(known ?? unknownReason('The store', error)) };
}

/** By HTTP status. A response to HEAD has no body that could say more. */
const explanationsOfStore: Readonly<Record<number, Explanation>> = {
  301: {
    settings: ['KINORA_S3_REGION', 'KINORA_S3_ENDPOINT'],
    reason: 'The bucket is in another region.',
    remedy: "Set KINORA_S3_REGION and KINORA_S3_ENDPOINT to the bucket's region.",
  },
  400: {
    settings: ['KINORA_S3_REGION', 'KINORA_S3_ACCESS_KEY_ID'],
    reason: 'The store does not accept the request (400).',
    remedy: 'Check KINORA_S3_REGION and KINORA_S3_ACCESS_KEY_ID.',
  },
  401: {
    settings: ['KINORA_S3_ACCESS_KEY_ID', 'KINORA_S3_SECRET_ACCESS_KEY'],
    reason: 'The store refuses the access key.',
    remedy: 'Correct KINORA_S3_ACCESS_KEY_ID and KINORA_S3_SECRET_ACCESS_KEY.',
  },
  403: {
    settings: ['KINORA_S3_ACCESS_KEY_ID', 'KINORA_S3_SECRET_ACCESS_KEY', 'KINORA_S3_BUCKET'],
    reason: 'The store refuses the access key, or the key may not use this bucket.',
    remedy: 'Correct both keys of the store, or allow the key to read, write, list and delete in the bucket.',
  },
  404: {
    settings: ['KINORA_S3_BUCKET'],
    reason: 'The store has no bucket of this name.',
    remedy: 'Create the bucket, or correct KINORA_S3_BUCKET.',
  },
};

function unknownReason(part: string, error: unknown): Explanation {
  return {
    reason: `${part} cannot be reached: ${messageOf(error)}.`,
    remedy: 'Check that it runs, that the address in the setting is right, and that no firewall is between.',
  };
}

/** Returns the code of the innermost error that has one; an empty string if there is none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const inner = error.cause instanceof Error ? codeOf(error.cause) : '';
  if (inner !== '') return inner;
  return 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
    ? String(error.code)
    : '';
}

/** Returns the HTTP status of an error of the store's client; 0 if the store did not respond. */
export function statusOf(error: unknown): number {
  // The client gives its errors this property, as documented.
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode ?? 0;
}

/** Returns the message of the innermost error on one line, without a full stop. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return 'no reason is known';
  if (error.cause instanceof Error) return messageOf(error.cause);
  const text = error.message || codeOf(error) || error.name;
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300);
}
