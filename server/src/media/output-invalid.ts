import { statfs } from 'node:fs/promises';
import type { BoxCommand, BoxResult } from '@kinora/boxes/box';
import { OutputInvalid } from '../errors.ts';

const minFreeBytes = 64 * 1024 * 1024;

/**
 * Throws unless the child succeeded. `OutputInvalid` costs the task another render, so a failure that may be our own
 * fault (a full disk, a kill from outside) is an ordinary error, after which the same file is processed once more.
 */
export async function requireSuccess(result: BoxResult, command: BoxCommand): Promise<void> {
  if (result.exitCode === 0) return;
  command.signal?.throwIfAborted();
  const cause = result.timedOut ? 'timed out' : (result.signal ?? result.stderrTail);
  const { bavail, bsize } = await statfs(command.folder);
  const isOurs = (result.signal === 'SIGKILL' && !result.timedOut) || bavail * bsize < minFreeBytes;
  if (isOurs) throw new Error(`${command.program} failed for a reason other than the file`, { cause });
  throw new OutputInvalid(`${command.program} could not read the video`, { cause });
}
