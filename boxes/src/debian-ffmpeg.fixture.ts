import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { words } from './ffmpeg-arguments.ts';

/** Runs the machine's whole ffmpeg outside a box, to make samples and check results; returns its stdout. */
export async function debianFfmpeg(line: string, folder: string): Promise<Buffer> {
  const { stdout } = await promisify(execFile)('ffmpeg', [...words('-nostdin -v error -y'), ...words(line)], {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
  });
  return stdout;
}
