import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { words } from './ffmpeg-arguments.ts';

/**
 * Runs the whole ffmpeg of the machine, outside a box, to make samples and to check results; returns its stdout. The
 * `kinora-ffmpeg` in the box lacks the parts for that.
 */
export async function debianFfmpeg(line: string, folder: string): Promise<Buffer> {
  const { stdout } = await promisify(execFile)('ffmpeg', [...words('-nostdin -v error -y'), ...words(line)], {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
  });
  return stdout;
}
