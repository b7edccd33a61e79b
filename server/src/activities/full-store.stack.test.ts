import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { toolPath } from '@kinora/stack/parts/stack-state';
import { expect, it, onTestFinished } from 'vitest';
import { OutputInvalid } from '../errors.ts';
import { createS3Storage } from '../storage/s3-storage.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { FetchFailed, storeRaw } from './store-raw.ts';

const mebibyte = 1024 ** 2;

/** The disk of 16 MiB vanishes with the server. Older kernels have no user attributes there, so metadata is files. */
const script = [
  'mount -t tmpfs -o size=16m tmpfs "$1"',
  'mkdir "$1/objects" "$1/metadata"',
  'exec "$3" --port "127.0.0.1:$2" --region us-east-1 --quiet posix --sidecar "$1/metadata" "$1/objects"',
].join(' && ');

/** Starts a store with a disk of 16 MiB and an empty bucket. */
async function startSmallStore() {
  const folder = await mkdtemp(join(tmpdir(), 'kinora-small-store-'));
  const port = await findFreePorts(1);
  const credentials = { accessKeyId: 'small', secretAccessKey: 'small-store-secret' };
  const server = spawn('unshare', ['-rm', 'sh', '-c', script, 'sh', folder, String(port), toolPath('versitygw')], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      ROOT_ACCESS_KEY: credentials.accessKeyId,
      ROOT_SECRET_KEY: credentials.secretAccessKey,
    },
    stdio: 'ignore',
  });
  const place = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true };
  const operator = new S3Client({ ...place, credentials });
  const storage = createS3Storage({ ...place, ...credentials, bucket: 'videos', publicEndpoint: null });
  onTestFinished(async () => {
    storage.close();
    operator.destroy();
    const exited = server.exitCode === null ? once(server, 'exit') : null;
    server.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true });
  });
  const createBucket = async () => {
    await operator.send(new CreateBucketCommand({ Bucket: 'videos' }));
    return true;
  };
  await expect.poll(() => createBucket().catch(() => false)).toBe(true);
  return storage;
}

it.each([
  ['one request', 4],
  ['several parts', 6], // the server copies the parts together, so it needs twice the space for a moment
])(
  'an output sent in %s that finds the store full is neither invalid nor missing, and is stored once there is room',
  async (_, size) => {
    const storage = await startSmallStore();
    await storage.put('older video', Buffer.alloc(14 * mebibyte, 1), 'video/mp4');
    const output = Buffer.alloc(size * mebibyte, 2);
    const engine = { ...createScriptedEngine(), fetchOutput: async () => Readable.from([output]) };
    const store = () => storeRaw({ storage, engine, operation: { jobId: 'a job' } }, 'day/task/raw-1');

    const error = await store().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    // The worker ends the attempt after these two. After any other error it fetches and stores the output again.
    expect(error).not.toBeInstanceOf(OutputInvalid);
    expect(error).not.toBeInstanceOf(FetchFailed);
    expect(await storage.head('day/task/raw-1')).toBeNull();

    await storage.delete(['older video']);
    await store();
    expect(await storage.head('day/task/raw-1')).toEqual({ sizeBytes: output.length });
  },
);
