import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { TaskImage } from '../../domain/task.ts';
import { dailyRecount } from '../../relay/daily-recount.ts';
import { type TestStorage, useTestStorage } from '../../storage/storage.fixture.ts';
import { createLog } from '../../telemetry/log.ts';
import { beginOrThrow, callerOf, useWorld, videoOf, type World } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { completeTask } from '../tasks/complete-task.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { expireFiles } from '../upkeep/expire-files.ts';

const daySeconds = 24 * 60 * 60;
const imageBytes = 700;
/** What `videoOf` says of a video with its thumbnail and spritesheet. */
const videoBytes = 1500;

const world = useWorld();
const store = useTestStorage();
let parts: World & { storage: TestStorage['storage'] };
beforeAll(async () => {
  parts = { ...world, storage: store.storage };
});

const image: TaskImage = {
  objectKey: '2026-11-15/image.png',
  sha256: 'a'.repeat(64),
  width: 640,
  height: 480,
  fit: 'crop',
  sizeBytes: imageBytes,
};
const acceptWithImage = (project: Project) => world.accept(project, { request: { type: 'image_to_video', image } });
const storedBy = async (project: Project) => Number((await world.slotsOf(project)).stored_bytes);

async function completed(project: Project) {
  const task = await acceptWithImage(project);
  await beginOrThrow(world, task);
  expect(await completeTask(parts, task.id, 1, videoOf(task.id))).toBe(true);
  return task;
}

async function insertFile(project: Project, sizeBytes: number): Promise<string> {
  const createdAt = world.clock.now();
  const id = strayId('file', createdAt);
  const file = {
    ...callerOf(project),
    id,
    objectKey: `uploads/${id}`,
    name: null,
    contentType: 'image/png',
    sizeBytes,
  };
  const expiresAt = new Date(createdAt.getTime() + daySeconds * 1000);
  const pixels = { sha256: 'a'.repeat(64), width: 640, height: 480 };
  expect(await world.db.files.insert({ ...file, ...pixels, createdAt, expiresAt })).toBe(true);
  return id;
}

describe('stored bytes', () => {
  it('stored bytes count the image from the create on, and the video once the task has completed', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const task = await acceptWithImage(project);
    expect(await storedBy(project)).toBe(imageBytes);
    await beginOrThrow(world, task);
    await completeTask(parts, task.id, 1, videoOf(task.id));
    expect(await storedBy(project)).toBe(imageBytes + videoBytes);
    // A task without an image that never runs stores nothing; a cancelled one keeps its image until it expires.
    await cancelTask(world, (await world.accept(project)).id);
    await cancelTask(world, (await acceptWithImage(project)).id);
    expect(await storedBy(project)).toBe(2 * imageBytes + videoBytes);
    await world.expectCountersToBeRight();
  });

  it('bytes of a deleted task are given back once, however often and by whomever its files are deleted', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const owner = callerOf(project);
    const [task, other] = [await completed(project), await completed(project)];
    await Promise.all([
      deleteTask(parts, owner, task.id),
      deleteTask(parts, owner, task.id),
      ...Array.from({ length: 5 }, () => world.db.taskFiles.markDeleted([other.id, task.id])),
    ]);
    await expireFiles(parts, { isDryRun: false });
    expect(await storedBy(project)).toBe(0);
    await completed(project);
    await world.db.taskFiles.markDeleted([task.id, other.id]);
    expect(await storedBy(project)).toBe(imageBytes + videoBytes);
    await world.expectCountersToBeRight();
  });

  it('processes that delete the files of the same tasks never deadlock', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      ids.push((await completed(project)).id);
      await world.moveClock(1); // so that their ids are in the order of their creation
    }
    const [first, moved, held, last] = ids as [string, string, string, string];
    // Like a scan for many tasks, these find rows in the order of their places, and an update moves a row behind the others.
    await sql`vacuum full tasks`.execute(world.db.kysely);
    const scanning = world.connect(2, `${world.url}?options=-cenable_indexscan=off%20-cenable_bitmapscan=off`);
    // One process waits at the first row. It has read where the others are before one of them moves.
    const lockOfFirst = await world.lockTask(first);
    const one = scanning.taskFiles.markDeleted([first, moved, held]);
    await world.waitUntilBlocked(1);
    await deleteTask(parts, callerOf(project), moved);
    await sql`update tasks set are_files_gone = false where id = ${uuidFromId('task', moved)}`.execute(world.db.kysely);
    // Another one reads them after the move, and waits in the middle.
    const lockOfLast = await world.lockTask(last);
    const other = scanning.taskFiles.markDeleted([moved, held, last]);
    await world.waitUntilBlocked(2);
    await lockOfFirst.release();
    await lockOfLast.release();
    await Promise.all([one, other]);
    const { rows } = await sql`select 1 from tasks where not are_files_gone and project_id =
      ${uuidFromId('proj', project.id)}`.execute(world.db.kysely);
    expect(rows).toEqual([]);
  });

  it('bytes of expired tasks and uploads are given back when their files are deleted', async () => {
    const [one, two] = [await world.newProject({ runningLimit: 5 }), await world.newProject({ runningLimit: 5 })];
    for (const project of [one, two]) {
      await completed(project);
      await cancelTask(world, (await acceptWithImage(project)).id);
      await insertFile(project, 10_000);
    }
    await acceptWithImage(one);
    const after = (days: number) => new Date(world.clock.now().getTime() + days * daySeconds * 1000);
    const expireAfter = (days: number) =>
      expireFiles({ ...parts, clock: clockAt(() => after(days)) }, { isDryRun: false });
    // Two rounds at once delete the same files.
    await Promise.all([expireAfter(1), expireAfter(1)]);
    expect(await world.slotsOf(two)).toMatchObject({
      stored_bytes: String(2 * imageBytes + videoBytes),
      uploaded_files: 0,
    });
    await Promise.all([expireAfter(60), expireAfter(60)]);
    expect([await storedBy(one), await storedBy(two)]).toEqual([imageBytes, 0]);
    await world.expectCountersToBeRight();
  });
});

describe('a full project', () => {
  it('a full project gets no more tasks until a task or file is deleted, and what was accepted still completes', async () => {
    const project = await world.newProject({ runningLimit: 5, storageLimitBytes: 2 * imageBytes + 1 });
    const owner = callerOf(project);
    const accepted = [await acceptWithImage(project), await acceptWithImage(project)];
    const refusal = { code: 'storage_limit_reached', status: 429 };
    await expect(acceptWithImage(project)).rejects.toMatchObject(refusal);
    const plain = await world.accept(project);
    for (const task of [...accepted, plain]) await beginOrThrow(world, task);
    await completeTask(parts, plain.id, 1, videoOf(plain.id));
    await expect(world.accept(project)).rejects.toMatchObject(refusal);
    for (const task of accepted) expect(await completeTask(parts, task.id, 1, videoOf(task.id))).toBe(true);
    expect(await storedBy(project)).toBe(2 * imageBytes + 3 * videoBytes);
    await world.accept(project, { livemode: false });
    for (const { id } of [...accepted, plain]) await deleteTask(parts, owner, id);
    await acceptWithImage(project);
    await world.expectCountersToBeRight();
  });
});

describe('the recount', () => {
  it('the recount corrects wrong counts once a day, only with the lock, and reports each correction', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const lines: string[] = [];
    const log = createLog({ level: 'info', roles: [], write: (line) => void lines.push(line) });
    let isHeld = false;
    let now = world.clock.now();
    const run = dailyRecount({ ...world, clock: clockAt(() => now), log, lock: { isHeld: () => isHeld } });
    await completed(project);
    await acceptWithImage(project);
    await insertFile(project, 10_000);
    const right = await world.slotsOf(project);
    expect(right).toMatchObject({ stored_bytes: String(2 * imageBytes + videoBytes + 10_000), uploaded_files: 1 });
    const disturb = () =>
      world.db.storedBytes.correct({ projectId: project.id, livemode: true, bytes: -4_000, files: 7 });
    await disturb();
    await run();
    expect(lines).toEqual([]);
    isHeld = true;
    await run();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'storage.recounted', projectId: project.id, livemode: true, bytes: 4_000, files: -7 },
    ]);
    expect(await world.slotsOf(project)).toEqual(right);
    await disturb();
    await run();
    expect(lines).toHaveLength(1);
    now = new Date(now.getTime() + daySeconds * 1000);
    await run();
    expect(lines).toHaveLength(2);
    expect(await world.slotsOf(project)).toEqual(right);
  });
});
