import { createBox } from '@kinora/boxes/box';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { createImages, type Images } from '../../media/images.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { strictPolicy } from '../../outbound/outbound-policy.fixture.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import type { Storage } from '../../storage/storage.ts';
import { callerOf, useWorld, type World } from '../operations.fixture.ts';
import { deleteFile, findFile } from './find-file.ts';
import { storeInputImage } from './store-input-image.ts';
import { uploadFile } from './upload-file.ts';

const world = useWorld();
const store = useTestStorage();
let images: Images;
let fetcher: GuardedFetcher;
const scratchRoot = temporaryFolder('upload');
let parts: Pick<World, 'db' | 'clock'> & { storage: Storage; images: Images; fetcher: GuardedFetcher };
let jpeg: Buffer;

beforeAll(async () => {
  images = createImages({ box: await createBox({}), scratchRoot, poolSize: 1 });
  fetcher = createGuardedFetcher(strictPolicy);
  parts = { db: world.db, clock: world.clock, storage: store.storage, images, fetcher };
  jpeg = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#c83214' } })
    .jpeg()
    .toBuffer();
});
afterAll(async () => {
  await Promise.all([images?.close(), fetcher?.close()]);
});

type Caller = ReturnType<typeof callerOf>;

async function newCaller(): Promise<Caller> {
  return callerOf(await world.newProject());
}

const storeImage = (caller: Caller, imageUrl: string, upload?: Uint8Array) =>
  storeInputImage(parts, strayId('task', world.clock.now()), {
    caller,
    request: { imageUrl, imageFit: 'crop' },
    upload,
  });

const refusedAs = (code: string, param: string | null) => expect.objectContaining({ name: 'AppError', code, param });

describe('an uploaded image', () => {
  it('an uploaded image is stored normalised, and its row says when it expires', async () => {
    const caller = await newCaller();
    const file = await uploadFile(parts, caller, { name: 'boat.jpg', bytes: jpeg });
    expect(file).toMatchObject({ name: 'boat.jpg', contentType: 'image/png', width: 640, height: 480 });
    expect(file.expiresAt.getTime() - file.createdAt.getTime()).toBe(24 * 60 * 60 * 1000);
    expect(await findFile(parts, caller, file.id)).toEqual(file);
    expect(await store.keys(file.objectKey)).toEqual([file.objectKey]);
    expect((await store.storage.head(file.objectKey))?.sizeBytes).toBe(file.sizeBytes);
  });

  it('a bad image is refused with the matching code and leaves nothing in the store', async () => {
    const caller = await newCaller();
    const before = await store.keys('uploads/');
    const tiny = await sharp(jpeg).resize(100, 100).png().toBuffer();
    for (const [bytes, code] of [
      [Buffer.from('GIF89a'), 'image_unsupported_format'],
      [jpeg.subarray(0, 300), 'image_undecodable'],
      [tiny, 'image_bad_dimensions'],
      [Buffer.alloc(20_000_001), 'image_too_large'],
    ] as const) {
      const refusal = await uploadFile(parts, caller, { name: null, bytes }).catch((error: unknown) => error);
      expect(refusal).toEqual(refusedAs(code, 'file'));
      // Like any other problem, it has an entry in the details.
      const { message } = refusal as Error;
      expect(refusal).toMatchObject({ details: [{ param: 'file', code: expect.any(String), message }] });
    }
    expect(await store.keys('uploads/')).toEqual(before);
  });

  it('an inline image may have 10,000,000 bytes and no more, and an image on another port is told of the port', async () => {
    const caller = await newCaller();
    const inline = (sizeBytes: number) => `data:image/png;base64,${Buffer.alloc(sizeBytes).toString('base64')}`;
    await expect(storeImage(caller, inline(10_000_000))).rejects.toMatchObject({ code: 'image_unsupported_format' });
    await expect(storeImage(caller, inline(10_000_003))).rejects.toMatchObject({
      code: 'image_too_large',
      message: expect.stringContaining('POST /v1/files'),
      details: [{ param: 'image_url', code: 'too_big' }],
    });
    await expect(storeImage(caller, 'https://example.com:8443/a.png')).rejects.toMatchObject({
      code: 'image_forbidden_address',
      message: expect.stringContaining('port 443 or 80'),
      details: [{ param: 'image_url', code: 'not_allowed' }],
    });
  });

  it('an upload that fails at the store leaves a row that expires', async () => {
    const caller = await newCaller();
    const unavailable = { ...store.storage, put: () => Promise.reject(new Error('the store is unavailable')) };
    await expect(uploadFile({ ...parts, storage: unavailable }, caller, { name: null, bytes: jpeg })).rejects.toEqual(
      refusedAs('overloaded', null),
    );
    const later = new Date(world.clock.now().getTime() + 25 * 60 * 60 * 1000);
    const rows = await world.db.files.takeExpired(later, 1000);
    expect(rows.filter(({ projectId }) => projectId === caller.projectId)).toHaveLength(1);
  });

  it('uploads at once fill the storage of their project exactly, and those that are refused leave nothing in the store', async () => {
    const project = await world.newProject();
    const caller = callerOf(project);
    const { id, sizeBytes } = await uploadFile(parts, caller, { name: null, bytes: jpeg });
    await world.db.projects.set(project.id, { storageLimitBytes: 3 * sizeBytes + 1 }, world.clock.now());
    const before = await store.keys('uploads/');
    const uploads = await Promise.allSettled(
      Array.from({ length: 6 }, () => uploadFile(parts, caller, { name: null, bytes: jpeg })),
    );
    const refused = uploads.filter((upload) => upload.status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'storage_limit_reached', status: 429 });
      expect(reason.message).toMatch(
        /Storage limit reached \(.* of .* MB used\)\. Delete tasks \(DELETE .*\) or uploaded files \(DELETE/,
      );
    }
    expect(await store.keys('uploads/')).toHaveLength(before.length + 2);
    expect(await world.slotsOf(project)).toMatchObject({ stored_bytes: String(3 * sizeBytes), uploaded_files: 3 });
    // The other mode has a limit of its own, and a deleted file makes room for one more.
    await uploadFile(parts, { ...caller, livemode: false }, { name: null, bytes: jpeg });
    await deleteFile(parts, caller, id);
    await uploadFile(parts, caller, { name: null, bytes: jpeg });
    await expect(uploadFile(parts, caller, { name: null, bytes: jpeg })).rejects.toMatchObject({ status: 429 });
    await world.expectCountersToBeRight();
  });

  it('a project has at most as many uploaded files as its limit says', async () => {
    const project = await world.newProject({ filesLimit: 2 });
    const upload = () => uploadFile(parts, callerOf(project), { name: null, bytes: jpeg });
    const uploads = await Promise.allSettled(Array.from({ length: 4 }, upload));
    const refused = uploads.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(2);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'storage_limit_reached' });
      expect(reason.message).toContain('Uploaded file limit reached (2). Delete some');
    }
  });

  it('a task gets the same image by file id, inline or with the request', async () => {
    const caller = await newCaller();
    const file = await uploadFile(parts, caller, { name: null, bytes: jpeg });
    const stored = await Promise.all([
      storeImage(caller, file.id),
      storeImage(caller, `data:image/jpeg;base64,${jpeg.toString('base64')}`),
      storeImage(caller, 'upload:digest', jpeg),
    ]);
    for (const image of stored) {
      expect(image).toMatchObject({ sha256: file.sha256, width: 640, height: 480, fit: 'crop' });
      expect((await store.storage.head(image?.objectKey ?? ''))?.sizeBytes).toBe(file.sizeBytes);
    }
    expect(new Set(stored.map((image) => image?.objectKey)).size).toBe(3);
  });

  it('an uploaded image can be deleted without harm to the task that uses it', async () => {
    const caller = await newCaller();
    const file = await uploadFile(parts, caller, { name: null, bytes: jpeg });
    const image = await storeImage(caller, file.id);
    await deleteFile(parts, caller, file.id);
    expect(await store.keys(file.objectKey)).toEqual([]);
    expect(await world.db.files.takeExpired(world.clock.now(), 1000)).not.toContainEqual(
      expect.objectContaining({ id: file.id }),
    );
    expect(await store.storage.head(image?.objectKey ?? '')).not.toBeNull();
    // Deleting it again succeeds, as for tasks and keys, but for its owner only.
    await deleteFile(parts, caller, file.id);
    for (const stranger of [await newCaller(), { ...caller, livemode: false }]) {
      await expect(deleteFile(parts, stranger, file.id)).rejects.toEqual(refusedAs('not_found', null));
    }
  });

  it('callers lose a deleted file at once even if the store is unavailable, and its object is deleted with the expired ones', async () => {
    const caller = await newCaller();
    const file = await uploadFile(parts, caller, { name: null, bytes: jpeg });
    const unavailable = { ...store.storage, delete: () => Promise.reject(new Error('the store is unavailable')) };
    await deleteFile({ ...parts, storage: unavailable }, caller, file.id);
    await expect(findFile(parts, caller, file.id)).rejects.toEqual(refusedAs('not_found', null));
    expect(await world.db.files.takeExpired(world.clock.now(), 1000)).toContainEqual(
      expect.objectContaining({ id: file.id, objectKey: file.objectKey }),
    );
  });

  it('a file id that is foreign, of the other mode, expired or made up gets the same "not found"', async () => {
    const caller = await newCaller();
    const { id } = await uploadFile(parts, caller, { name: null, bytes: jpeg });
    const refusal = (work: Promise<unknown>) =>
      work.then(
        () => 'accepted',
        ({ code, param, message, details }) => ({ code, param, message, details }),
      );
    const refusalsOf = async (who: Caller, fileId: string) => ({
      found: await refusal(findFile(parts, who, fileId)),
      deleted: await refusal(deleteFile(parts, who, fileId)),
      stored: await refusal(storeImage(who, fileId)),
    });
    const unknown = await refusalsOf(caller, strayId('file', world.clock.now()));
    expect(unknown).toMatchObject({
      found: { code: 'not_found' },
      deleted: { code: 'not_found' },
      stored: { code: 'invalid_parameter', param: 'image_url' },
    });
    expect(await refusalsOf(caller, 'file_nonsense')).toEqual(unknown);
    expect(await refusalsOf(await newCaller(), id)).toEqual(unknown);
    expect(await refusalsOf({ ...caller, livemode: false }, id)).toEqual(unknown);
    expect(await refusal(findFile(parts, caller, id))).toBe('accepted');
    await world.moveClock(24 * 60 * 60);
    expect(await refusalsOf(caller, id)).toEqual(unknown);
  });
});
