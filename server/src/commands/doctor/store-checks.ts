import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  type LifecycleRule,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { explainStore, messageOf, statusOf } from '../../health/part-problems.ts';
import { readInstallationMarker } from '../../operations/upkeep/installation-marker.ts';
import type { Storage } from '../../storage/storage.ts';
import type { BucketClient } from './bucket-client.ts';
import { judgeClock, readHttpClock } from './clock-offset.ts';
import { type DoctorCheck, failed, failedAs, ok, warning } from './doctor-check.ts';

const headBucket = ({ client, bucket: Bucket }: BucketClient) => client.send(new HeadBucketCommand({ Bucket }));

export const storeChecks: readonly DoctorCheck[] = [
  {
    id: 'store.reachable',
    looksAt: 'whether the store responds',
    needs: ['settings'],
    async run({ bucket }) {
      try {
        await headBucket(bucket);
      } catch (error) {
        if (statusOf(error) === 0 || statusOf(error) >= 500) return failedAs(explainStore(error));
      }
      return ok('The store responds.');
    },
  },
  {
    id: 'store.bucket',
    looksAt: 'whether the bucket exists and the access key may use it',
    needs: ['store.reachable'],
    async run({ bucket, config }) {
      try {
        await headBucket(bucket);
        return ok(`The bucket ${config.KINORA_S3_BUCKET} exists, and the access key may use it.`);
      } catch (error) {
        return failedAs(explainStore(error));
      }
    },
  },
  {
    id: 'store.operations',
    looksAt: 'whether the key may write, read a range, copy, list, upload in parts and delete',
    needs: ['store.bucket'],
    seconds: 10,
    async run({ foundation: { storage }, bucket }) {
      const folder = `.kinora/doctor/${randomUUID()}`;
      const [key, copy, large] = [`${folder}/object`, `${folder}/copy`, `${folder}/parts`];
      const steps: readonly [what: string, run: () => Promise<unknown>][] = [
        ['write an object', () => storage.put(key, Buffer.from('doctor'), 'text/plain')],
        ['read a part of an object', async () => requireText(await storage.read(key, { start: 1, end: 3 }), 'oct')],
        ['copy an object', () => storage.copy(key, copy)],
        ['list objects', async () => requireCount(await keysBelow(storage, `${folder}/`), 2)],
        ['upload an object in parts', () => uploadInParts(bucket, large)],
        ['list unfinished uploads', async () => storage.listUnfinishedUploads()[Symbol.asyncIterator]().next()],
        ['delete objects', () => storage.delete([key, copy, large])],
        ['hide a deleted object', async () => requireCount((await storage.head(key)) ? [key] : [], 0)],
      ];
      try {
        for (const [what, run] of steps) {
          try {
            await run();
          } catch (error) {
            return failed(
              `The store does not ${what}: ${messageOf(error)}.`,
              'Allow the access key PutObject, GetObject, CopyObject, DeleteObjects, ListBucket and multipart uploads in the bucket; "Requirements" in docs/operations/running.md lists all.',
            );
          }
        }
      } finally {
        await storage.delete([key, copy, large]).catch(() => undefined);
      }
      return ok('The store writes, reads, copies, lists, uploads in parts and deletes.');
    },
  },
  {
    id: 'store.lifecycle',
    looksAt: 'lifecycle rules that delete objects within `KINORA_FILE_RETENTION_DAYS` and a day',
    needs: ['store.bucket'],
    async run({ bucket, config }) {
      const rules = await readLifecycle(bucket);
      if (rules === null) return ok('The store has no rules, or does not show them to this access key.');
      const days = config.KINORA_FILE_RETENTION_DAYS;
      const early = rules.filter((rule) => rule.Status === 'Enabled' && isOfVideos(rule) && expiresWithin(rule, days));
      if (early.length === 0) return ok('No rule deletes objects that Kinora still needs.');
      return failed(
        `The lifecycle rule ${early.map(({ ID }) => ID ?? 'without a name').join(', ')} deletes objects within ${days} day(s), while KINORA_FILE_RETENTION_DAYS keeps them.`,
        'Remove the rule: Kinora deletes expired files itself, and aborts unfinished uploads.',
      );
    },
  },
  {
    id: 'store.versioning',
    looksAt: 'old versions that no rule deletes (a warning)',
    needs: ['store.bucket'],
    async run({ bucket }) {
      const { client, bucket: Bucket } = bucket;
      const status = await client.send(new GetBucketVersioningCommand({ Bucket })).then(
        ({ Status }) => Status,
        () => undefined,
      );
      if (status !== 'Enabled') return ok('The bucket keeps no old versions, or does not report that it does.');
      const rules = (await readLifecycle(bucket)) ?? [];
      if (rules.some((rule) => rule.Status === 'Enabled' && rule.NoncurrentVersionExpiration))
        return ok('The bucket keeps old versions, and a rule deletes them.');
      return warning(
        'The bucket keeps old versions without a limit, so that deleted videos still exist.',
        'Add a lifecycle rule that deletes noncurrent versions after some days, or suspend versioning.',
      );
    },
  },
  {
    id: 'store.installation',
    looksAt: 'whether the bucket belongs to the installation of this database',
    needs: ['store.operations', 'postgres.rights'],
    async run({ foundation: { db, storage } }) {
      const [marker, id] = await Promise.all([readInstallationMarker(storage), db.installation.id()]);
      if (marker === null) return ok('No installation has claimed the bucket yet; the relay will.');
      if (marker === id) return ok('The bucket belongs to the installation of this database.');
      return failed(
        `The bucket belongs to the installation ${marker}, but the database is that of ${id}.`,
        'Correct KINORA_S3_BUCKET or KINORA_DATABASE_URL. After a restore, see docs/operations/backup-and-restore.md.',
      );
    },
  },
  {
    id: 'store.clock',
    looksAt: 'the clock of the store, by the Date header of a response',
    needs: ['store.reachable'],
    async run({ config }) {
      const offset = await readHttpClock(config.KINORA_S3_ENDPOINT);
      return judgeClock(offset === null ? [] : [{ name: 'the store', offsetMilliseconds: offset }]);
    },
  },
];

async function requireText(body: Parameters<typeof buffer>[0] | null, expected: string): Promise<void> {
  if (body === null || String(await buffer(body)) !== expected) throw new Error('the bytes are not those written');
}

async function requireCount(found: readonly unknown[], expected: number): Promise<void> {
  if (found.length !== expected) throw new Error(`${found.length} objects were found instead of ${expected}`);
}

async function keysBelow(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
}

/** Uploads one part and completes the upload, and aborts another. */
async function uploadInParts({ client, bucket: Bucket }: BucketClient, Key: string): Promise<void> {
  const begin = () => client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const [completed, aborted] = [await begin(), await begin()];
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: aborted.UploadId }));
  const upload = { Bucket, Key, UploadId: completed.UploadId };
  try {
    const part = { ...upload, PartNumber: 1, Body: Buffer.from('part') };
    const { ETag } = await client.send(new UploadPartCommand(part));
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

/** Returns the rules of the bucket; null if it has none, or the store does not know or show them. */
async function readLifecycle({ client, bucket: Bucket }: BucketClient): Promise<readonly LifecycleRule[] | null> {
  try {
    return (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules ?? [];
  } catch {
    return null;
  }
}

/** Keys of videos begin with the year: a rule for another prefix, such as `logs/`, concerns none of them. */
function isOfVideos({ Prefix, Filter }: LifecycleRule): boolean {
  const prefix = Prefix ?? Filter?.Prefix ?? Filter?.And?.Prefix ?? '';
  return prefix === '' || /^[0-9]/.test(prefix);
}

/** Files are kept for `days` after their task has ended, which may be some days after they were written. */
function expiresWithin({ Expiration }: LifecycleRule, days: number): boolean {
  if (Expiration?.Date) return true;
  return Expiration?.Days !== undefined && Expiration.Days <= days + 1;
}
