import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kinora } from '@kinora/sdk';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { exitCodeOf, exitCodes, UsageError } from './exit-codes.ts';
import { checkOutput, outputNamedAfter, saveVideo } from './save-video.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kinora-save-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('checking a writable path succeeds and leaves nothing behind', async () => {
  await checkOutput(join(folder, 'boat.mp4'), { isForced: false });
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that does not exist is not created', async () => {
  const refused = checkOutput(join(folder, 'new', 'boat.mp4'), { isForced: false });
  await expect(refused).rejects.toThrow('new does not exist. Create it first.');
  expect(await readdir(folder)).toEqual([]);
});

test('the partial file of another download is left alone', async () => {
  await writeFile(join(folder, 'boat.mp4.part'), 'half');
  await checkOutput(join(folder, 'boat.mp4'), { isForced: false });
  expect(await readFile(join(folder, 'boat.mp4.part'), 'utf8')).toBe('half');
});

test('a path that cannot be written is rejected before a video is made', async () => {
  await writeFile(join(folder, 'there.mp4'), '');
  await mkdir(join(folder, 'videos'));
  const refused: [path: string, reason: string, isForced?: boolean][] = [
    [join(folder, 'there.mp4'), 'already exists'],
    [join(folder, 'videos'), 'is a folder', true],
    [join(folder, 'there.mp4', 'boat.mp4'), 'does not exist'],
    [join(folder, `${'x'.repeat(300)}.mp4`), 'cannot be written: ENAMETOOLONG'],
    [join(folder, 'a\0b.mp4'), 'cannot be written'],
    [join(folder, 'boat.mp4/'), 'cannot be written'],
    ['/dev/null', 'is not a file', true],
  ];
  for (const [path, reason, isForced = false] of refused) {
    const error = await checkOutput(path, { isForced }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(reason);
  }
});

/** Starts a service that breaks off the first `times` downloads in the middle. */
async function breaking(times: number) {
  const seen = { downloads: 0 };
  const server = createServer((_request, response) => {
    seen.downloads += 1;
    response.setHeader('content-length', 9);
    if (seen.downloads > times) response.end('the bytes');
    else response.write('the', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return { seen, kinora: new Kinora({ apiKey: 'kin_test_', baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 }) };
}

test('a download that breaks off is retried', async () => {
  const { kinora, seen } = await breaking(2);
  await saveVideo(kinora, 'task_1', join(folder, 'boat.mp4'));
  expect(seen.downloads).toBe(3);
  expect(await readdir(folder)).toEqual(['boat.mp4']);
  expect(await readFile(join(folder, 'boat.mp4'), 'utf8')).toBe('the bytes');
});

test('a download that always breaks off has the exit code of an unavailable service and leaves no file', async () => {
  const { kinora } = await breaking(99);
  const error = await saveVideo(kinora, 'task_1', join(folder, 'boat.mp4')).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('The download broke off');
  expect(exitCodeOf(error)).toBe(exitCodes.unavailable);
  expect(await readdir(folder)).toEqual([]);
});

test('a disk error does not cause a second download', async () => {
  const { kinora, seen } = await breaking(0);
  await mkdir(join(folder, 'boat.mp4', 'inside'), { recursive: true });
  await expect(saveVideo(kinora, 'task_1', join(folder, 'boat.mp4'))).rejects.toThrow('rename');
  expect(seen.downloads).toBe(1);
});

test('a hostile service cannot choose the path of a video by the id of its task', async () => {
  const id = `task_${'0'.repeat(26)}`;
  expect(await outputNamedAfter(id, { isForced: false })).toBe(`${id}.mp4`);
  for (const bad of ['../../boat', '/tmp/boat', `${id}/../boat`, `task_${'0'.repeat(25)}/`, '']) {
    await expect(outputNamedAfter(bad, { isForced: false })).rejects.toThrow(UsageError);
  }
});
