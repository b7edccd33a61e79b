import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConnectionError, Kinora, KinoraError, NotFoundError, type SaveProgress } from './index.ts';
import { type Handler, json, problem, startScriptedServer, taskAt } from './scripted-server.fixture.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kinora-save-'));
  path = join(folder, 'boat.mp4');
});
afterEach(() => rm(folder, { recursive: true }));

const whole: Handler = (_request, response) =>
  response.writeHead(200, { 'content-length': '9' }).write('the ', () => response.end('bytes'));
const broken: Handler = (_request, response) =>
  response.writeHead(200, { 'content-length': '9' }).write('the', () => response.destroy());

async function serve(handlerFor: (count: number) => Handler, maxRetries = 2) {
  const server = await startScriptedServer((_request, count) => handlerFor(count));
  return { ...server, kinora: new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries }) };
}

const caught = (work: Promise<unknown>) => work.catch((thrown: unknown) => thrown);

describe('videos.save', () => {
  test('saves the video of a task or an id, reports each step, and returns what it saved', async () => {
    const { kinora, requests } = await serve(() => whole);
    const seen: SaveProgress[] = [];
    const task = taskAt(100);
    expect(await kinora.videos.save(task, path, { onProgress: (now) => seen.push(now) })).toEqual({
      path,
      sizeBytes: 9,
    });
    expect(seen.at(-1)).toEqual({ savedBytes: 9, totalBytes: 9 });
    await kinora.videos.save('task_2', join(folder, 'thumbnail.jpg'), { variant: 'thumbnail' });
    expect((await readdir(folder)).sort()).toEqual(['boat.mp4', 'thumbnail.jpg']);
    expect(await readFile(path, 'utf8')).toBe('the bytes');
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/videos/task_1/content',
      '/v1/videos/task_2/content?variant=thumbnail',
    ]);
  });

  test('starts again if the download breaks off', async () => {
    const { kinora, requests } = await serve((count) => (count < 3 ? broken : whole));
    await kinora.videos.save('task_1', path);
    expect(requests).toHaveLength(3);
    expect(await readdir(folder)).toEqual(['boat.mp4']);
    expect(await readFile(path, 'utf8')).toBe('the bytes');
  });

  test('throws ConnectionError and leaves the old file alone if every download breaks off', async () => {
    await writeFile(path, 'old');
    const { kinora, requests } = await serve(() => broken);
    const error = await caught(kinora.videos.save('task_1', path, { maxRetries: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: 'The download broke off.', isRetryable: true });
    expect(requests).toHaveLength(2);
    expect(await readdir(folder)).toEqual(['boat.mp4']);
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  test('throws the error of the service and leaves no file if there is no video', async () => {
    const { kinora } = await serve(() => json(404, problem('task_not_found')));
    await expect(kinora.videos.save('task_1', path)).rejects.toBeInstanceOf(NotFoundError);
    expect(await readdir(folder)).toEqual([]);
  });

  test('throws KinoraError and downloads nothing a second time if the disk refuses the file', async () => {
    const { kinora, requests } = await serve(() => whole);
    await mkdir(path);
    await writeFile(join(path, 'inside'), '');
    const error = await caught(kinora.videos.save('task_1', path));
    expect(error).toBeInstanceOf(KinoraError);
    expect(String(error)).toMatch(/boat\.mp4 cannot be written: .*rename/);
    await expect(kinora.videos.save('task_1', join(folder, 'none', 'boat.mp4'))).rejects.toThrow(/ENOENT/);
    expect(requests).toHaveLength(2);
    expect(await readdir(folder)).toEqual(['boat.mp4']);
  });

  test('replaces a file, except with overwrite: false, which downloads nothing', async () => {
    const { kinora, requests } = await serve(() => whole);
    await writeFile(path, 'old');
    const refused = await caught(kinora.videos.save('task_1', path, { overwrite: false }));
    expect(refused).toBeInstanceOf(KinoraError);
    expect(String(refused)).toContain('boat.mp4 already exists');
    expect(requests).toEqual([]);
    await kinora.videos.save('task_1', path);
    expect(await readFile(path, 'utf8')).toBe('the bytes');
  });

  test('with overwrite: false saves a new file, but not over one that was created during the download', async () => {
    const { kinora } = await serve(() => whole);
    await kinora.videos.save('task_1', path, { overwrite: false });
    expect(await readFile(path, 'utf8')).toBe('the bytes');
    const other = join(folder, 'other.mp4');
    const saving = kinora.videos.save('task_1', other, {
      overwrite: false,
      onProgress: () => writeFileSync(other, 'mine'),
    });
    await expect(saving).rejects.toThrow('already exists');
    expect(await readFile(other, 'utf8')).toBe('mine');
    expect((await readdir(folder)).toSorted()).toEqual(['boat.mp4', 'other.mp4']);
  });

  test('throws the reason of an abort and leaves no file', async () => {
    const { kinora } = await serve(() => (_request, response) => void response.writeHead(200).write('the'));
    const stop = new AbortController();
    const saving = kinora.videos.save('task_1', path, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(saving).rejects.toThrow('enough');
    expect(await readdir(folder)).toEqual([]);
  });
});
