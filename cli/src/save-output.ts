import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConnectionError, type DownloadOptions, type Kinora } from '@kinora/sdk';
import { standardOutput } from './check-output.ts';

/** Downloads a video into a file that is complete or does not exist, or to stdout if the path is `-`. */
export async function saveOutput(
  kinora: Kinora,
  taskId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  if (path !== standardOutput) return void (await kinora.videos.save(taskId, path, options));
  const { body } = await kinora.videos.download(taskId, options);
  if (!body) throw new ConnectionError('The service sent no bytes.');
  try {
    await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
  } catch (error) {
    // fetch throws a TypeError if the connection breaks. It is not retried, because the start is already written.
    if (!(error instanceof TypeError)) throw error;
    throw new ConnectionError('The download broke off, so what was written is not complete.', { cause: error });
  }
}
