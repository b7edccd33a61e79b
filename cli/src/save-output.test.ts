import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kinora } from '@kinora/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { abandonSaves, saveFile } from './save-output.ts';

/** A service that sends the first bytes of every video and then nothing more. */
async function startStallingService(): Promise<Kinora> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('the first bytes');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return new Kinora({ apiKey: 'kin_test_', baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
}

test('a program that is interrupted during downloads leaves no incomplete file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kinora-save-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kinora = await startStallingService();
  const hasEnded = vi.fn();
  for (const name of ['one.mp4', 'two.mp4']) saveFile(kinora, 'task_1', join(folder, name)).then(hasEnded, hasEnded);
  await expect.poll(() => readdir(folder)).toHaveLength(2);
  await abandonSaves();
  expect(await readdir(folder)).toEqual([]);
  // The code that waits for the download reports no error, because the program exits.
  expect(hasEnded).not.toHaveBeenCalled();
});
