import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Kinora } from '@kinora/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from './loopback-service.fixture.ts';
import { abandonSaves, saveFile } from './save-output.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

/** A service that sends the first bytes of every video and then nothing more. */
async function startStallingService(): Promise<Kinora> {
  const baseUrl = await startService((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('the first bytes');
  });
  return new Kinora({ apiKey: 'kin_test_', baseUrl, maxRetries: 0 });
}

test('a program that is interrupted during downloads leaves no incomplete file', async () => {
  const folder = temporaryFolder(onTestFinished);
  const kinora = await startStallingService();
  const hasEnded = vi.fn();
  for (const name of ['one.mp4', 'two.mp4']) saveFile(kinora, 'task_1', join(folder, name)).then(hasEnded, hasEnded);
  await expect.poll(() => readdir(folder)).toHaveLength(2);
  await abandonSaves();
  expect(await readdir(folder)).toEqual([]);
  // The code that waits for the download reports no error, because the program exits.
  expect(hasEnded).not.toHaveBeenCalled();
});
